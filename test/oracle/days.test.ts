import { beforeAll, describe, expect, it } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { ORIGIN } from '../service.ts'
import { splitRows } from '../tags.ts'
import { databasesWith, fetchFrom } from './oracle.ts'
import { event, FOUNDATION } from './world.ts'

// A day of a zone has the same events in a filter, in CQL2, in a bin, in the parts of the start and in a file. The clocks
// of these zones change twice in 2025: in the night, at midnight, and by half an hour.

const ZONES = ['Europe/Amsterdam', 'Africa/Cairo', 'Australia/Lord_Howe']
const [HOUR, DAY] = [3_600_000, 86_400_000]
const [FIRST, LAST] = [Date.UTC(2025, 0, 1), Date.UTC(2025, 11, 31)]

/** Returns a function that writes an instant on the clock of a zone, such as `2025-03-30 03:00`. */
const clockIn = (timeZone: string) => {
  const format = new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'short' })
  return (instant: number) => format.format(instant)
}

/** Names the week of a clock by its Monday. */
const weekOf = (clock: string): string => {
  const day = Date.parse(clock.slice(0, 10))
  return new Date(day - ((new Date(day).getUTCDay() + 6) % 7) * DAY).toISOString()
}
/** The units of bins, with the name of each on a clock. */
const UNITS: Readonly<Record<string, (clock: string) => string>> = {
  week: weekOf,
  month: (clock) => clock.slice(0, 7),
  year: (clock) => clock.slice(0, 4),
}

/** The parts of a start that a summary counts, as a clock shows them. Monday is 1. */
const PARTS: Readonly<Record<string, (clock: string) => number>> = {
  year: (clock) => Number(clock.slice(0, 4)),
  month: (clock) => Number(clock.slice(5, 7)),
  weekday: (clock) => ((new Date(clock.slice(0, 10)).getUTCDay() + 6) % 7) + 1,
  hour: (clock) => Number(clock.slice(11, 13)),
}

/** The instants at which a zone has another date than a millisecond before. */
const midnightsIn = (zone: string): number[] => {
  const write = clockIn(zone)
  const dateAt = (instant: number) => write(instant).slice(0, 10)
  const instants = Array.from({ length: ((LAST - FIRST) / DAY + 4) * 48 }, (_, i) => FIRST - 2 * DAY + (i * HOUR) / 2)
  return instants.filter((instant) => dateAt(instant) !== dateAt(instant - 1))
}

const hours = Array.from({ length: 368 * 12 }, (_, i) => FIRST - 2 * DAY + i * 2 * HOUR + 20 * 60_000)
const starts = [...new Set([...hours, ...ZONES.flatMap(midnightsIn).flatMap((instant) => [instant - 1, instant])])]
const records = [...FOUNDATION, ...starts.map((start, i) => event(i + 1, new Date(start).toISOString()))]

const engines = new Map<string, Engine>()
beforeAll(async () => {
  for (const [name, engine] of await databasesWith(records)) engines.set(name, engine)
})

const LIST = '/api/v3/events/?page_size=1000'
const ITEMS = '/ogc/collections/events/items?limit=1000'

for (const [options, zones] of splitRows(3, ZONES))
  describe.each(zones)('in %s', options, (zone) => {
    const write = clockIn(zone)
    const ask = async (name: string, address: string): Promise<string> => {
      const engine = engines.get(name)
      const response = engine && (await fetchFrom(engine, `${ORIGIN}${encodeURI(address)}&timezone=${zone}`))
      return (await response?.text()) ?? ''
    }
    const idsIn = async (name: string, address: string): Promise<number[]> => {
      const { results, features } = JSON.parse(await ask(name, address))
      return (results ?? features).map(({ id }: { id: number }) => id)
    }
    /** The ids of the events of each day. */
    const days = new Map<string, number[]>()
    for (const [i, start] of starts.entries()) {
      const day = write(start).slice(0, 10)
      days.set(day, [...(days.get(day) ?? []), i + 1])
    }
    const inYear = [...days]
      .filter(([day]) => day.startsWith('2025'))
      .map(([day, ids]) => [day, ids.sort((a, b) => a - b)] as const)

    it('each day has its events by four kinds of filters', async () => {
      expect(inYear).toHaveLength(365)
      for (const [day, ids] of inYear) {
        const next = new Date(Date.parse(day) + DAY).toISOString().slice(0, 10)
        const addresses = [
          `${LIST}&timestamp_start__gte=${day}&timestamp_start__lt=${next}`,
          `${LIST}&datetime=${day}`,
          `${ITEMS}&filter=timestamp_start = DATE('${day}')`,
          `${ITEMS}&filter=T_INTERSECTS(timestamp_start, INTERVAL('${day}', '${day}'))`,
        ]
        for (const address of addresses) expect(await idsIn('D1', address), address).toEqual(ids)
      }
    })

    it.each(['D1', 'PostgreSQL'])(
      'each day has its events in bins, parts of the start and a file of %s',
      async (name) => {
        const year = 'timestamp_start__gte=2025-01-01&timestamp_start__lt=2026-01-01'
        const summary = `/api/v3/events/summary/?${year}&bins=day&facets=${Object.keys(PARTS).map((name) => `timestamp_start__${name}`)}`
        const { time, facets } = JSON.parse(await ask(name, summary))
        const binned = time.bins.map(([start, count]: [number, number]) => [write(start).slice(0, 10), count])
        expect(binned).toEqual(inYear.map(([day, ids]) => [day, ids.length]).sort())
        for (const [unit, nameOf] of Object.entries(UNITS)) {
          const { time } = JSON.parse(await ask(name, `/api/v3/events/summary/?${year}&bins=${unit}`))
          const first = time.bins.map(([start, count]: [number, number]) => [nameOf(write(start)), count])
          const ids = inYear.flatMap(([, ids]) => ids)
          const counts = Map.groupBy(ids, (id) => nameOf(write(starts[id - 1] ?? 0)))
          expect(new Map(first), unit).toEqual(new Map([...counts].map(([key, each]) => [key, each.length])))
          for (const [start] of time.bins)
            expect(nameOf(write(start - 1)), `before ${start}`).not.toBe(nameOf(write(start)))
        }
        for (const [facet, partOf] of Object.entries(PARTS)) {
          const ids = inYear.flatMap(([, ids]) => ids)
          const counts = Map.groupBy(ids, (id) => partOf(write(starts[id - 1] ?? 0)))
          const told: readonly { value: number; count: number }[] = facets[`timestamp_start__${facet}`].entries
          const wanted = [...counts].map(([value, each]) => ({ value, count: each.length }))
          expect(
            told.toSorted((a, b) => a.value - b.value),
            facet,
          ).toEqual(wanted.sort((a, b) => a.value - b.value))
        }
        const [, ...lines] = (await ask(name, `/api/v3/events.csv?page_size=all&fields=id,timestamp_start&${year}`))
          .trimEnd()
          .split('\r\n')
        const inFile = Map.groupBy(
          lines.map((line) => line.split(',')),
          ([, start = '']) => start.slice(0, 10),
        )
        const filed = [...inFile].map(([day, cells]) => [day, cells.map(([id]) => Number(id))])
        expect(filed.sort()).toEqual([...inYear].sort())
      },
    )
  })
