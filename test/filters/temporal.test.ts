import { describe, expect, it } from 'vitest'
import { ValueError } from '../../src/base/errors.ts'
import { durationOf, exactInstantOf, instantOf, intervalOf, isoInstant, timeOf } from '../../src/filters/temporal.ts'
import { TICKS } from '../../src/question/range.ts'

const DAY = 86_400_000_000n
const HOUR = 3_600_000_000n
const MINUTE = 60_000_000n
const SECOND = 1_000_000n

/** 2018-02-05T12:34:56Z */
const T = 1_517_834_096_000_000n

describe('an instant', () => {
  it.each([
    ['2018-02-05T12:34:56Z', T],
    ['2018-02-05T12:34:56z', T],
    ['2018-02-05t12:34:56Z', T],
    ['2018-02-05 12:34:56Z', T],
    ['2018-02-05T12:34:56', T],
    ['2018-02-05T12:34:56+00:00', T],
    ['2018-02-05T12:34:56-00:00', T],
    ['2018-02-05T13:34:56+01:00', T],
    ['2018-02-05T13:34:56 01:00', T],
    ['2018-02-05 13:34:56 01:00', T],
    ['2018-02-05T11:04:56-0130', T],
    ['2018-02-05T17:34:56+05', T],
    ['2018-02-05T17:34:56 05', T],
    ['2018-02-06T12:33:56+23:59', T],
    ['  2018-02-05T12:34:56Z\n', T],
    ['2018-02-05T12:34Z', T - 56n * SECOND],
    ['2018-02-05T12:34', T - 56n * SECOND],
    ['2018-02-05T12:34+01:00', T - 56n * SECOND - HOUR],
    ['2018-02-05', 1_517_788_800_000_000n],
    ['2018-02-05T00:00:00Z', 1_517_788_800_000_000n],
    ['2018-02-05T12:34:56.1Z', T + 100_000n],
    ['2018-02-05T12:34:56.12Z', T + 120_000n],
    ['2018-02-05T12:34:56.123Z', T + 123_000n],
    ['2018-02-05T12:34:56.1234Z', T + 123_400n],
    ['2018-02-05T12:34:56.12345Z', T + 123_450n],
    ['2018-02-05T12:34:56.123456Z', T + 123_456n],
    ['2018-02-05T12:34:56.000001', T + 1n],
    ['2018-02-05T12:34:56.123456789Z', T + 123_456n],
    ['1969-12-31T23:59:59.9999999Z', -1n],
    ['1970-01-01', 0n],
    ['1969-12-31T23:59:59.999999Z', -1n],
    ['0001-01-01', -62_135_596_800_000_000n],
    ['0001-01-01T00:00:00+01:00', -62_135_600_400_000_000n],
    ['0076-01-01', -59_768_841_600_000_000n],
    ['0099-12-31T23:59:59Z', -59_011_459_201_000_000n],
    ['9999-12-31T23:59:59.999999Z', 253_402_300_799_999_999n],
    ['2000-02-29', 951_782_400_000_000n],
    ['2020-02-29T00:00:00Z', 1_582_934_400_000_000n],
  ])('%j is read', (text, microseconds) => {
    expect(instantOf(text)).toBe(microseconds)
  })

  it.each([
    ...['2018-02-30', '2019-02-29', '1900-02-29', '2018-00-05', '2018-13-05', '2018-02-00', '2018-04-31', '2018-2-5'],
    ...['2018-02-05T24:00:00Z', '2018-02-05T12:60:00Z', '2018-02-05T12:34:60Z', '2018-02-05T1:02:03Z', '2018-02-05T12'],
    ...['2018-02-05T12:34:56.Z', '2018-02-05T12:34:56,5Z', '2018-02-05T12:34.5Z'],
    `2018-02-05T12:34:56.${'1'.repeat(101)}Z`,
    ...['2018-02-05T12:34:56+24:00', '2018-02-05T12:34:56+01:60', '2018-02-05T12:34:56+1', '2018-02-05T12:34:56 Z'],
    ...['2018-02-05T12:34:56Z+01:00', '2018-02-05Z', '2018-02-05T', '2018-02-05  12:34', '2018-02', '2018', '20180205'],
    ...['12018-02-05', '+2018-02-05', '-2018-02-05', '2018-W06-1', '2018-036', '1517834096', '12:34', 'now', 'x', ''],
    ...['٢٠١٨-٠٢-٠٥', '２０１８-02-05', '2018‐02‐05', 'Mon, 05 Feb 2018 12:34:56 GMT', '2018-02-05T12:34:56Zx'],
  ])('%j is refused', (text) => {
    expect(() => instantOf(text)).toThrow(ValueError)
  })

  it.each([
    ['2018-02-05T12:34:56.1Z', T * TICKS + 100_000n * TICKS],
    ['2018-02-05T12:34:56.123456789Z', T * TICKS + (123_456_789n * TICKS) / 1000n],
    ['2018-02-05T12:34:56.123456789123+01:00', (T - HOUR) * TICKS + (123_456_789_123n * TICKS) / 1_000_000n],
    [`2018-02-05T12:34:56.${'0'.repeat(99)}1Z`, T * TICKS + 1n],
    [`1969-12-31T23:59:59.${'9'.repeat(100)}`, -1n],
  ])('%j is read to the exact tick', (text, ticks) => {
    expect([exactInstantOf(text), timeOf(text, null)]).toEqual([ticks, ticks])
  })

  it.each([
    ['0', 0n],
    ['-0', 0n],
    ['5', 5n],
    ['-1001', -1001n],
    ['1517834096123', 1_517_834_096_123n],
    [' 1517834096123 ', 1_517_834_096_123n],
    ['946684800000', 946_684_800_000n],
    ['-62135596800000', -62_135_596_800_000n],
    ['1517834096', 1_517_834_096n],
    ['12345678', 12_345_678n],
    ['20181305', 20_181_305n],
    ['20180200', 20_180_200n],
    ['-20180205', -20_180_205n],
    ['0020180205', 20_180_205n],
    ['9'.repeat(30), BigInt('9'.repeat(30))],
  ])('%j is read as milliseconds since 1970', (text, milliseconds) => {
    expect(timeOf(text, null)).toBe(milliseconds * 1000n * TICKS)
  })

  it.each(['20180205', '20181231', '201802', '2018', ' 20180205 ', '0000'])(
    '%j is refused, because it may be a date or milliseconds',
    (text) => {
      const day = text.trim()
      expect(() => timeOf(text, null)).toThrow(
        `Enter a date with hyphens, such as 2018-02-05. ${day} looks like a date. If you mean milliseconds since 1970, enter ${day.padStart(10, '0')}.`,
      )
    },
  )

  it.each(['1e3', '1.5', '+5', '--5', '5 5', '9'.repeat(31), '0x10', '٣', ''])('%j is refused', (text) => {
    expect(() => timeOf(text, null)).toThrow(ValueError)
  })

  it.each([
    [T, '2018-02-05T12:34:56Z'],
    [T + 1n, '2018-02-05T12:34:56.000001Z'],
    [T + 100_000n, '2018-02-05T12:34:56.100000Z'],
    [-1n, '1969-12-31T23:59:59.999999Z'],
    [-1_000_000n, '1969-12-31T23:59:59Z'],
  ])('%s is written %s', (microseconds, text) => {
    expect(isoInstant(Number(microseconds), 1n)).toBe(text)
  })
})

describe('a duration', () => {
  it.each([
    ['0', 0n],
    ['3600', HOUR],
    ['02:00', 2n * MINUTE],
    ['2:0', 2n * MINUTE],
    ['06:00:00', 6n * HOUR],
    ['100:00:00', 100n * HOUR],
    ['00:90', 90n * SECOND],
    ['1 00:00:00', DAY],
    ['1 day, 02:00:00', DAY + 2n * HOUR],
    ['3 days, 02:00:00', 3n * DAY + 2n * HOUR],
    ['3 5', 3n * DAY + 5n * SECOND],
    ['00:00:00.000001', 1n],
    ['0.1', 100_000n],
    ['1.123456', 1_123_456n],
    ['1,5', 1_500_000n],
    ['-1', -SECOND],
    ['-00:00:01.5', -1_500_000n],
    ['-1 00:30:00', -DAY + 30n * MINUTE],
    ['1 -00:30:00', DAY - 30n * MINUTE],
    [' 10 ', 10n * SECOND],
    ['9'.repeat(40), BigInt('9'.repeat(40)) * SECOND],
    ['PT0S', 0n],
    ['PT21H2M', 21n * HOUR + 2n * MINUTE],
    ['PT5M', 5n * MINUTE],
    ['PT90M', 90n * MINUTE],
    ['PT1.5S', 1_500_000n],
    ['PT1,5S', 1_500_000n],
    ['PT0.000001S', 1n],
    ['PT1.5H', 90n * MINUTE],
    ['P0.5D', 12n * HOUR],
    ['P0.000001D', 86_400n],
    ['P1D', DAY],
    ['P1DT2H', DAY + 2n * HOUR],
    ['P1DT2H3M4.5S', DAY + 2n * HOUR + 3n * MINUTE + 4_500_000n],
    ['P3DT4S', 3n * DAY + 4n * SECOND],
    ['p1dt2h', DAY + 2n * HOUR],
    ['+PT1H', HOUR],
    ['-PT1H', -HOUR],
    ['-P1DT1H', -DAY - HOUR],
    [`P${'9'.repeat(40)}D`, BigInt('9'.repeat(40)) * DAY],
  ])('%j is read', (text, microseconds) => {
    expect(durationOf(text)).toBe(microseconds * TICKS)
  })

  it.each([
    ['1.1234567', (11_234_567n * TICKS) / 10n],
    ['-00:00:00.123456789', (-123_456_789n * TICKS) / 1000n],
    ['PT1.1234567S', (11_234_567n * TICKS) / 10n],
    ['P0.0000001D', 8640n * TICKS],
    ['PT0.3333333H', (11_999_998_800n * TICKS) / 10n],
    [`0.${'0'.repeat(99)}1`, 1n],
    [`PT${'0'.repeat(80)}.${'0'.repeat(99)}1S`, 1n],
  ])('%j is read to the exact tick', (text, ticks) => {
    expect(durationOf(text)).toBe(ticks)
  })

  it.each([
    ...'P PT P1DT PT5 P5 T5H PT5H5 PTH PT1S1H PT1D P1H P1DT2D P-1D PT-1H PP1D P1W P1Y P1M P1Y2M P1M1DT1H'.split(' '),
    ...'1h 5m day 1:2:3:4 :5 5: 1::2 1. .5 --1 +5:00 1e3 0x10 ٣ １ NaN ∞'.split(' '),
    ...['1 week', '2 hours', '1 day', '1d 2', '3 days 02:00:00', '', '1 1 1', 'PT1H 2M', 'P 1D'],
    ...[`1.${'1'.repeat(101)}`, `PT1.${'1'.repeat(101)}S`, '9'.repeat(201)],
  ])('%j is refused', (text) => {
    expect(() => durationOf(text)).toThrow(ValueError)
  })
})

describe('the parameter datetime', () => {
  const micros = (text: string) => BigInt(Date.parse(text)) * 1000n
  const ticks = (text: string) => micros(text) * TICKS
  const day = ticks('2018-02-05T00:00:00Z')
  const next = day + 86_400_000_000n * TICKS
  it.each<[text: string, least: bigint | null, greatest: bigint | null]>([
    ['2018-02-05T00:00:00Z', day, day],
    ['2018-02-05T01:00:00 01:00', day, day],
    ['2018-02-05T00:00:00', day, day],
    ['2018-02-05', day, next - 1n],
    ['2018-02-05/2018-02-05', day, next - 1n],
    ['2018-02-05T/..', day, null],
    ['../2018-02-05T', null, day],
    ['2018-02-05/', day, null],
    ['/2018-02-05', null, next - 1n],
    ['../..', null, null],
    ['/', null, null],
    ['0000-01-01T00:00:00Z/9999-12-31T00:00:00Z', ticks('0000-01-01T00:00:00Z'), ticks('9999-12-31T00:00:00Z')],
    ['2018-02-05T00:00:00.000000001Z', day + TICKS / 1000n, day + TICKS / 1000n],
  ])('%s becomes an interval', (text, least, greatest) => {
    expect(intervalOf(text, null)).toEqual([least, greatest])
  })

  it.each(['', '..', 'x', '2018', '2018-02-05/x', '2018-02-05/2018-02-06/2018-02-07', '2018-02-06/2018-02-05'])(
    '%j is refused',
    (text) => {
      expect(() => intervalOf(text, null)).toThrow(ValueError)
    },
  )
})
