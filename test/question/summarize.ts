import type { NamedZone, TimePart } from '../../src/base/zone.ts'
import type {
  CrossedEntry,
  EntryOrder,
  Facet,
  GroupStatistics,
  Shape,
  Summary,
  Unit,
} from '../../src/engine/summaries.ts'
import { leadingNumber } from '../../src/filters/numbers.ts'
import type { FieldRef } from '../../src/question/condition.ts'
import { type Fineness, slowStartOf, summaryOf } from '../engine/slow.ts'
import type { EventRecord } from '../records.ts'
import { order as inOrder, type Thing, type Value } from './truth.ts'

// A summary of plain arrays: each group is a list of events, and each number is computed from that list.

type Events = readonly EventRecord[]

const QUARTER = 900_000 // milliseconds

/** Returns an instant on the clock of a zone, as milliseconds since 1970-01-01T00:00, in whole seconds. */
const clockIn = (zone: NamedZone): ((instant: number) => number) => {
  const format = new Intl.DateTimeFormat('sv', { timeZone: zone.name, dateStyle: 'short', timeStyle: 'medium' })
  return (instant) => {
    const local = Date.parse(`${format.format(instant).replace(' ', 'T')}Z`)
    if (Number.isNaN(local)) throw new RangeError('Clocks are read from the year 1000 on.')
    return local
  }
}

/** Returns the first instant of the unit with an instant. It tries each quarter of an hour, from the day before. */
const localStartOf = (unit: Unit, instant: number, localOf: (instant: number) => number): number => {
  const local = localOf(instant)
  const start = slowStartOf(unit, local)
  // An hour that comes twice is two bins.
  if (unit === 'hour') return Math.floor(instant / 1000) * 1000 - local + start
  let first = start - 96 * QUARTER
  while (localOf(first) < start) first += QUARTER
  return first
}

const PARTS: Readonly<Record<TimePart, (date: Date) => number>> = {
  year: (date) => date.getUTCFullYear(),
  month: (date) => date.getUTCMonth() + 1,
  weekday: (date) => date.getUTCDay() || 7,
  hour: (date) => date.getUTCHours(),
}

const plainly = (value: Value) => (typeof value === 'bigint' ? Number(value) : value)

const attributeOf = (event: EventRecord, name: string): unknown => event.attributes?.[name] ?? null

/** Adds whole numbers and halves exactly. Tests use no others. */
const statisticsOf = (events: Events, field: FieldRef): GroupStatistics => {
  const numbers = events.flatMap((event) => {
    if (typeof field === 'string') return leadingNumber(event.value) ?? []
    const value = attributeOf(event, field.attribute)
    return typeof value === 'number' ? value : []
  })
  const [count, without] = [numbers.length, events.length - numbers.length]
  if (count === 0) return { count, min: null, max: null, mean: null, sum: null, without }
  const sum = numbers.reduce((total, number) => total + number, 0)
  return { count, min: Math.min(...numbers), max: Math.max(...numbers), mean: sum / count, sum, without }
}

/** Orders values: false, true, numbers, texts, then all others as JSON. */
const compareValues = (a: unknown, b: unknown): number => {
  const rankOf = (value: unknown) => ['boolean', 'number', 'string', 'object'].indexOf(typeof value)
  const plain = (value: unknown) => (typeof value === 'object' ? JSON.stringify(value) : (value as Value))
  return rankOf(a) - rankOf(b) || inOrder(plain(a) ?? '', plain(b) ?? '')
}

interface Group {
  /** The value by which entries with equal ranks are sorted. */
  readonly name: unknown
  readonly value: Readonly<Record<string, unknown>>
  readonly events: Events
}

/** Sorts groups. A group without the statistic is the last one. */
const sortGroups = (
  groups: readonly Group[],
  { by, descending }: EntryOrder,
  numbers: readonly FieldRef[],
): Group[] => {
  const sign = descending ? -1 : 1
  const rankOf = ({ events }: Group): number | null => {
    if (by === 'text') return 0
    if (by === 'count') return events.length
    const field = numbers[by.number]
    return field === undefined ? null : statisticsOf(events, field)[by.statistic]
  }
  return [...groups].sort((a, b) => {
    const [one, other] = [rankOf(a), rankOf(b)]
    const names = (by === 'text' ? sign : 1) * compareValues(a.name, b.name)
    if (one === null || other === null) return one === other ? names : one === null ? 1 : -1
    return sign * (one - other) || names
  })
}

export const summarize = (events: Events, shape: Shape, fieldsOf: (event: EventRecord) => Thing['fields']): Summary => {
  const { bins, level, from } = shape
  const localOf = shape.zone === null ? null : clockIn(shape.zone as NamedZone) // requests name their zone
  const fineness: Fineness = { bins, level, ...(from !== null && { from }) }
  const { count, time, density, spatial_bounds: box } = summaryOf(events, fineness, false)
  const first = Math.max(time.start ?? 0, from ?? Number.NEGATIVE_INFINITY)
  const binOf = ({ start }: EventRecord): number => {
    const at = Math.max(start, from ?? start)
    if (bins === 1) return first
    if (typeof bins === 'number') return Math.floor(at / (time.step ?? 1)) * (time.step ?? 1)
    return localOf === null ? slowStartOf(bins, at) : localStartOf(bins, at, localOf)
  }
  const binned = (some: Events) => [...Map.groupBy(some, binOf)].sort(([a], [b]) => a - b)
  const valueIn = (event: EventRecord, field: Facet['field']): unknown => {
    if (typeof field === 'string') return plainly(fieldsOf(event)[field] ?? null)
    if ('attribute' in field) return attributeOf(event, field.attribute)
    return PARTS[field.start](new Date(localOf === null ? event.start : localOf(event.start)))
  }
  const keyIn = (event: EventRecord, field: Facet['field']) => JSON.stringify(valueIn(event, field))
  const groupOf = (some: Events): Omit<CrossedEntry, 'value'> => ({
    count: some.length,
    bins: binned(some).map(([start, own]) => [start, own.length]),
    statistics: shape.numbers.map((field) => ({
      ...statisticsOf(some, field),
      bins: binned(some)
        .map(([start, own]) => [start, statisticsOf(own, field)] as const)
        .filter(([, each]) => each.count > 0),
    })),
    distinct: shape.distinct.map((field) => {
      const keys = new Set(some.map((event) => keyIn(event, field)))
      return keys.size - (keys.has('null') ? 1 : 0)
    }),
  })
  const sliceOf = ({ field, reads, size, offset, order }: Facet) => {
    const known = Map.groupBy(events, (event) => keyIn(event, field))
    const without = known.get('null')?.length ?? 0
    known.delete('null')
    const groups = Array.from(known, ([key, own]): Group => {
      const fields = fieldsOf(own[0] as EventRecord) // no group is empty
      const value = typeof field === 'string' ? null : JSON.parse(key)
      return {
        name: field === 'series' ? fields.series_uuid : JSON.parse(key),
        value: Object.fromEntries(reads.map((name) => [name, value ?? plainly(fields[name] ?? null)])),
        events: own,
      }
    })
    const all = sortGroups(groups, order, shape.numbers)
    const listed = all.slice(offset, offset + size)
    return { listed, more: Math.max(0, all.length - offset - size), without }
  }
  const facetOf = (facet: Facet) => {
    const { listed, more, without } = sliceOf(facet)
    const entries = listed.map(({ value, events: own }) => {
      const { bins: _, statistics, ...group } = groupOf(own)
      return { value, ...group, statistics: statistics.map(({ bins: _, ...each }) => each) }
    })
    return { entries, more, without }
  }
  const crossedBy = (facet: Facet) => {
    const { listed, more } = sliceOf(facet)
    const inEntries = new Set(listed.flatMap((group) => group.events))
    const entries = listed.map(({ value, events: own }) => ({ value, ...groupOf(own) }))
    return { entries, more, rest: groupOf(events.filter((event) => !inEntries.has(event))) }
  }
  const { bins: counted, ...whole } = groupOf(events)
  return {
    ...whole,
    count,
    bounds: box && [box.west, box.south, box.east, box.north],
    least: time.start,
    greatest: time.end,
    step: localOf === null || typeof bins === 'number' ? time.step : null,
    bins: counted,
    level: density.level,
    cells: density.cells as unknown as Summary['cells'],
    facets: shape.facets.map(facetOf),
    by: shape.by && crossedBy(shape.by),
  }
}
