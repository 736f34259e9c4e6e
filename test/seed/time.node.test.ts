import { describe, expect, it } from 'vitest'
import { type TimeOptions, timeReader } from '../../seed/read/time.ts'

const read = (value: unknown, options: TimeOptions = {}) => {
  const { first } = timeReader(options)(value)
  return new Date(first).toISOString()
}

describe('a time is read', () => {
  it.each<[unknown, TimeOptions, string]>([
    ['2018-02-06', {}, '2018-02-06T00:00:00.000Z'],
    ['2019-01-05T10:00:00.123456789Z', {}, '2019-01-05T10:00:00.123Z'],
    ['2019-01-05 10:00:00,1234567', {}, '2019-01-05T10:00:00.123Z'],
    ['1960-01-01T00:00:00.0005Z', {}, '1960-01-01T00:00:00.000Z'],
    ['2018-02-06T01:00:00+01:00', { zone: 'America/New_York' }, '2018-02-06T00:00:00.000Z'],
    ['2018-02-06T01:00:00', { zone: 'Europe/Amsterdam' }, '2018-02-06T00:00:00.000Z'],
    ['2018-07-06', { zone: 'Europe/Amsterdam' }, '2018-07-05T22:00:00.000Z'],
    [1517875200000, {}, '2018-02-06T00:00:00.000Z'],
    ['1517875200000', {}, '2018-02-06T00:00:00.000Z'],
    [-1517875200000, {}, '1921-11-26T00:00:00.000Z'],
    ['1517365101', { unit: 's' }, '2018-01-31T02:18:21.000Z'],
    [1517365101.5, { unit: 's' }, '2018-01-31T02:18:21.500Z'],
    ['5', { unit: 'ms' }, '1970-01-01T00:00:00.005Z'],
    ['1517365101000999', { unit: 'us' }, '2018-01-31T02:18:21.000Z'],
    ['43470', { unit: 'days-1900' }, '2019-01-05T00:00:00.000Z'],
    [43470.5, { unit: 'days-1900', zone: 'Europe/Amsterdam' }, '2019-01-05T11:00:00.000Z'],
    [1, { unit: 'days-1900' }, '1900-01-01T00:00:00.000Z'],
    [61, { unit: 'days-1900' }, '1900-03-01T00:00:00.000Z'],
    ['20190105', { format: 'YYYYMMDD' }, '2019-01-05T00:00:00.000Z'],
    [20190105, { format: 'YYYYMMDD' }, '2019-01-05T00:00:00.000Z'],
    ['5-1-2019', { format: 'DD-MM-YYYY' }, '2019-01-05T00:00:00.000Z'],
    ['01/05/2019', { format: 'MM/DD/YYYY' }, '2019-01-05T00:00:00.000Z'],
    ['05.01.2019 7:08:09,5678', { format: 'DD.MM.YYYY HH:mm:ss' }, '2019-01-05T07:08:09.567Z'],
    ['05-07-2019 12:30', { format: 'DD-MM-YYYY HH:mm', zone: 'Europe/Amsterdam' }, '2019-07-05T10:30:00.000Z'],
    ['05-07-2019 12:30 -0130', { format: 'DD-MM-YYYY HH:mm Z', zone: 'Europe/Amsterdam' }, '2019-07-05T14:00:00.000Z'],
  ])('%j %j', (value, options, expected) => {
    expect(read(value, options)).toBe(expected)
  })
})

describe('an ambiguous time is an error that names the options', () => {
  it.each<[unknown, TimeOptions, string]>([
    ['20190105', {}, 'use --time-unit or --date-format: "YYYYMMDD" is 2019-01-05, s is 1970-08-22T16:21:45Z, ms is'],
    ['1517365101', {}, 'use --time-unit or --date-format: s is 2018-01-31T02:18:21Z, ms is 1970-01-18T13:29:25.101Z'],
    [
      43470,
      {},
      'use --time-unit or --date-format: days-1900 is 2019-01-05T00:00:00Z, s is 1970-01-01T12:04:30Z, ms is 1970-01-01T00:00:43',
    ],
    [1517365101000000, {}, 'use --time-unit or --date-format: us is 2018-01-31T02:18:21Z'],
    [0, {}, 'use --time-unit or --date-format: s is 1970-01-01T00:00:00Z'],
    ['9e9', {}, 'enter ISO 8601'],
    ['05-01-2019', {}, 'for other dates use --date-format'],
    ['30-02-2019', { format: 'DD-MM-YYYY' }, 'enter a date in the form of --date-format, DD-MM-YYYY'],
    ['2019-01-05', { format: 'DD-MM-YYYY' }, 'enter a date in the form of --date-format'],
    ['5012019', { format: 'DDMMYYYY' }, 'enter a date in the form of --date-format'],
    [1e18, { unit: 's' }, '(the years 0 to 9999)'],
    [null, {}, 'enter ISO 8601'],
  ])('%j %j', (value, options, message) => {
    expect(() => read(value, options)).toThrow(message)
  })

  it.each<[TimeOptions, string]>([
    [{ unit: 'h' }, '--time-unit is "h": enter s, ms, us, days-1900'],
    [{ format: 'dd-mm-yyyy' }, '--date-format is "dd-mm-yyyy": enter YYYY, MM and DD'],
    [{ format: 'DD-MM' }, '--date-format is "DD-MM": enter YYYY'],
    [{ zone: 'Amsterdam' }, '--timezone is "Amsterdam": enter the name of a time zone, such as Europe/Amsterdam'],
  ])('%j', (options, message) => {
    expect(() => timeReader(options)).toThrow(message)
  })
})

describe('a local time', () => {
  it.each([
    ['2021-10-31T02:30:00', '2021-10-31T00:30:00.000Z'],
    ['2021-03-28', '2021-03-27T23:00:00.000Z'],
  ])('becomes one instant even if the clocks show it twice: %s', (local, expected) => {
    expect(read(local, { zone: 'Europe/Amsterdam' })).toBe(expected)
  })

  it('that the clocks skip is an error', () => {
    const skipped = () => read('2021-03-28T02:30:00', { zone: 'Europe/Amsterdam' })
    expect(skipped).toThrow('enter another time, because the clock of Europe/Amsterdam skips this one')
    expect(read('2021-03-28T02:30:00', { zone: '+01:00' })).toBe('2021-03-28T01:30:00.000Z')
  })

  it('of a whole day is the first instant of that day, even if the clocks skip its midnight', () => {
    expect(read('2017-10-15', { zone: 'America/Sao_Paulo' })).toBe('2017-10-15T03:00:00.000Z')
  })
})
