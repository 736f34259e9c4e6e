import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inZone, zoneOf } from '../../src/base/zone.ts'

const known = (name: string) => zoneOf(name) ?? expect.fail(name)

/** Reads the clocks of a zone at an instant, with another format of Intl. */
const clock = (zone: string, utc: number) => {
  const format = new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
  return Date.parse(`${format.format(utc).replace(' ', 'T')}Z`)
}

describe('a local time', () => {
  it.each(['Europe/Amsterdam', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'Africa/Casablanca', 'UTC'])(
    'in %s is shown by the clocks there at the instant that it becomes',
    (zone) => {
      const { toLocal, toInstant } = known(zone)
      const whole = fc.integer({ min: Date.UTC(1920) / 1000, max: Date.UTC(2035) / 1000 })
      fc.assert(
        fc.property(whole, (seconds) => {
          const local = clock(zone, seconds * 1000)
          expect(toLocal(seconds * 1000)).toBe(local)
          expect(clock(zone, toInstant(local))).toBe(local)
          expect(toInstant(local)).toBeLessThanOrEqual(seconds * 1000)
        }),
        { seed: 1, numRuns: 150 },
      )
    },
  )

  it.each([
    ['Europe/Amsterdam', '2018-02-05T23:00:00.000Z', '2018-02-06T00:00:00.000Z'],
    ['Europe/Amsterdam', '2021-03-28T00:59:59.999Z', '2021-03-28T01:59:59.999Z'],
    ['Europe/Amsterdam', '2021-03-28T01:00:00.000Z', '2021-03-28T03:00:00.000Z'],
    ['Europe/Amsterdam', '1880-01-01T00:00:00.000Z', '1880-01-01T00:17:30.000Z'],
    ['europe/amsterdam', '2018-07-05T22:00:00.000Z', '2018-07-06T00:00:00.000Z'],
    ['Pacific/Apia', '2011-12-30T09:59:59.999Z', '2011-12-29T23:59:59.999Z'],
    ['Pacific/Apia', '2011-12-30T10:00:00.000Z', '2011-12-31T00:00:00.000Z'],
    ['Etc/UTC', '-271821-04-20T00:00:00.000Z', '-271821-04-20T00:00:00.000Z'],
    ['Etc/UTC', '+275760-09-13T00:00:00.000Z', '+275760-09-13T00:00:00.000Z'],
  ])('in %s at %s is %s', (zone, instant, local) => {
    expect(new Date(known(zone).toLocal(Date.parse(instant))).toISOString()).toBe(local)
  })

  it.each([
    ['2021-10-31T02:30:00Z', '2021-10-31T00:30:00.000Z'],
    ['2021-03-28T02:30:00Z', '2021-03-28T01:30:00.000Z'],
  ])('becomes one instant even if the clocks show it twice or never: %s', (local, instant) => {
    expect(new Date(known('Europe/Amsterdam').toInstant(Date.parse(local))).toISOString()).toBe(instant)
  })

  it.each(['', 'Amsterdam', 'Europe/Amsterdam ', 'x'.repeat(1000)])('has no zone %j', (name) => {
    expect(zoneOf(name)).toBe(null)
  })
})

it.each([
  ['Europe/Amsterdam', '2020-06-01T12:00:00Z', '2020-06-01T14:00:00+02:00'],
  ['Asia/Tokyo', '9999-12-31T23:59:59.999000Z', '+010000-01-01T08:59:59.999000+09:00'],
  ['America/New_York', '0000-01-01T00:00:00Z', '-000001-12-31T19:04:00-04:56'],
  ['UTC', '-000051-02-26T21:59:48.992000Z', '-000051-02-26T21:59:48.992000+00:00'],
])('on the clock of %s, %s is %s', (zone, instant, local) => {
  expect(inZone(known(zone), instant)).toBe(local)
})
