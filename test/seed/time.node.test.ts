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
    ['2019-01-05', { format: 'DD-MM-YYYY HH:mm' }, '2019-01-05T00:00:00.000Z'],
    ['2019-01-05T07:30:00', { format: 'MM/DD/YY', century: '1950' }, '2019-01-05T07:30:00.000Z'],
    ['2024MM03', { format: 'YYYY[MM]MM' }, '2024-03-01T00:00:00.000Z'],
    ['op 5 mei 2019 om 7u', { format: '[op] DD MMM YYYY [om] HH[u]' }, '2019-05-05T07:00:00.000Z'],
    ['[10/Oct/2000:13:55:36 -0700]', { format: '[[]DD/MMM/YYYY:HH:mm:ss Z]' }, '2000-10-10T20:55:36.000Z'],
    ['2019-8-5', {}, '2019-08-05T00:00:00.000Z'],
    ['2019/8/5 7:30', { zone: 'Europe/Amsterdam' }, '2019-08-05T05:30:00.000Z'],
    ['Sat, 22 Apr 2017 15:11:58 -0500', {}, '2017-04-22T20:11:58.000Z'],
    ['6 Nov 1994 08:49 GMT', { zone: 'Europe/Amsterdam' }, '1994-11-06T08:49:00.000Z'],
    ['1577836800001999999', { unit: 'ns' }, '2020-01-01T00:00:00.001Z'],
    [1577836800000, { unit: 'ns' }, '1970-01-01T00:26:17.836Z'],
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
    ['2019-01-05', { format: 'YYYY-DD-MM HH:mm' }, 'enter a date in the form of --date-format'],
    ['2019', { format: 'DD-MM-YYYY' }, 'enter a date in the form of --date-format'],
    ['2019-13-5', {}, 'enter ISO 8601'],
    ['2019-8', {}, 'enter ISO 8601'],
    ['2024KW05', {}, 'enter ISO 8601'],
    ['2024MM00', {}, 'enter ISO 8601'],
    ['Jan 1 2000', {}, 'use --date-format: "MMM DD YYYY" is 2000-01-01'],
    ['1 mei 2000', {}, 'use --date-format: "DD MMM YYYY" is 2000-05-01'],
    ['1577836800000000000', {}, 'use --time-unit or --date-format: ns is 2020-01-01T00:00:00Z'],
    ['30:00:00', {}, 'it is a length of time: name a column of dates'],
    ['250:00:00', { format: 'DD-MM-YYYY' }, 'it is a length of time: name a column of dates'],
    ['5012019', { format: 'DDMMYYYY' }, 'enter a date in the form of --date-format'],
    [1e18, { unit: 's' }, '(the years 0 to 9999)'],
    [null, {}, 'enter ISO 8601'],
  ])('%j %j', (value, options, message) => {
    expect(() => read(value, options)).toThrow(message)
  })

  it.each<[TimeOptions, string]>([
    [{ unit: 'h' }, '--time-unit is "h": enter s, ms, us, ns, days-1900'],
    [{ format: 'dd-mm-yyyy' }, '--date-format is "dd-mm-yyyy": enter YYYY, MM and DD'],
    [{ format: 'YYYYxMM' }, 'Other letters need brackets, such as YYYY[MM]MM'],
    [{ format: 'DD-MM' }, '--date-format is "DD-MM": enter YYYY'],
    [{ zone: 'Amsterdam' }, '--timezone is "Amsterdam": enter the name of a time zone, such as Europe/Amsterdam'],
  ])('%j', (options, message) => {
    expect(() => timeReader(options)).toThrow(message)
  })
})

describe('a period is read with its start and end', () => {
  it.each([
    ['2024MM01', '2024-01-01T00:00:00.000Z', '2024-01-31T23:59:59.999Z'],
    ['2024KW01', '2024-01-01T00:00:00.000Z', '2024-03-31T23:59:59.999Z'],
    ['2023KW04', '2023-10-01T00:00:00.000Z', '2023-12-31T23:59:59.999Z'],
    ['2024HJ02', '2024-07-01T00:00:00.000Z', '2024-12-31T23:59:59.999Z'],
    ['2024JJ00', '2024-01-01T00:00:00.000Z', '2024-12-31T23:59:59.999Z'],
    ['1950.0', '1950-01-01T00:00:00.000Z', '1950-12-31T23:59:59.999Z'],
  ])('%s', (text, ...expected) => {
    const { first, last = first } = timeReader({})(text)
    expect([first, last].map((time) => new Date(time).toISOString())).toEqual(expected)
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
