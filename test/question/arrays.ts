import type { Engine, Page, Reader, Row } from '../../src/engine/engine.ts'
import { leadingNumber } from '../../src/filters/numbers.ts'
import { distanceBetween } from '../../src/geometry/circle.ts'
import type { FieldRef } from '../../src/question/condition.ts'
import type { ListName } from '../../src/question/fields.ts'
import type { Order, Question, Selection } from '../../src/question/question.ts'
import { TICKS } from '../../src/question/range.ts'
import type { EventRecord, LoadRecord, ObservationTypeRecord, SeriesRecord } from '../records.ts'
import { summarize } from './summarize.ts'
import { order as inOrder, type Thing, truthOf, type Value } from './truth.ts'

/**
 * An engine over plain arrays. It tests every row for each question, without an index. It is slow and obvious, so
 * other engines are compared with it.
 */
export const arraysOf = (records: readonly LoadRecord[]): Engine => {
  const readers = new Map<number, Reader>()
  const open: Engine['open'] = ({ level }) => {
    const reader = readers.get(level) ?? readerOf(records, level)
    readers.set(level, reader)
    return reader
  }
  return { takesWrites: false, refusals: () => [], isHint: () => true, weight: () => 'low', open }
}

const readerOf = (records: readonly LoadRecord[], level: number): Reader => {
  const visible = records.filter((each) => each.kind === 'event_series').filter((each) => each.access_modifier <= level)
  const series = new Map(visible.map((each) => [each.id, each]))
  const types = new Map(records.filter((each) => each.kind === 'observation_type').map((each) => [each.id, each]))
  const events = records.filter((each) => each.kind === 'event').filter((event) => series.has(event.series))
  const lists: Readonly<Record<ListName, readonly Thing[]>> = {
    events: events.map((event) => eventThing(event, series, types)),
    series: visible.map((each) => seriesThing(each, types, events)),
    types: [...types.values()].map(({ id, ...fields }) => thingOf(id, fields)),
  }
  const matches = (list: ListName, { where, latest }: Selection): readonly Thing[] => {
    const all = lists[list].filter((thing) => truthOf(where, thing) === true)
    return latest === null ? all : latestOf(all)
  }
  const rowsOf = (things: readonly Thing[], fields: readonly FieldRef[]): Row[] =>
    things.map((thing) => rowOf(thing, fields))
  const page: Reader['page'] = async (list, question, { fields, include = null }): Promise<Page> => {
    const all = [...matches(list, question)].sort(comparisonOf(question.order))
    const { limit } = question.slice
    const start = startOf(all, question)
    const shown = all.slice(start, start + limit)
    const owners = new Set(shown.map(({ fields }) => Number(fields.series)))
    return {
      rows: rowsOf(shown, fields),
      count: all.length,
      isCut: false,
      next: start + limit < all.length ? String(start + limit) : null,
      previous: start > 0 ? String(Math.max(0, start - limit)) : null,
      included: rowsOf(
        lists.series.filter(({ id }) => include !== null && owners.has(id)),
        include ?? [],
      ),
    }
  }
  return {
    level,
    refresh: async () => {},
    atOneState: (compute) => compute(),
    page,
    all: async (list, question, reads) => {
      const slice = { ...question.slice, limit: Number.MAX_SAFE_INTEGER }
      const { rows, count } = await page(list, { ...question, slice }, reads)
      async function* batches() {
        yield rows
      }
      return { count, batches: batches() }
    },
    item: async (list, key, { fields }) => {
      const named = lists[list].filter((thing) =>
        'id' in key ? thing.id === key.id : String(thing.fields.uuid).startsWith(key.uuid),
      )
      const [only, ...others] = named
      return only === undefined || others.length > 0 ? null : { row: rowOf(only, fields), tag: null }
    },
    summary: async (selection, shape) => {
      const found = new Map(matches('events', selection).map((thing) => [thing.id, thing]))
      return summarize(
        events.filter(({ id }) => found.has(id)),
        shape,
        ({ id }) => found.get(id)?.fields ?? {},
      )
    },
    tile: async () => {
      throw new RangeError('No test asks for a tile.')
    },
    extent: async () => {
      throw new RangeError('No test asks for extents.')
    },
    overview: async () => {
      throw new RangeError('No test asks for an overview.')
    },
    changes: async () => {
      throw new RangeError('No test asks for changes.')
    },
    ready: async () => ({ revision: 0, bytes: null, capacity: null, grade: null, faults: [], tables: [], advice: [] }),
    uuids: async (most) => lists.series.slice(0, most).map(({ fields }) => String(fields.uuid)),
    state: () => null,
    isOneState: () => true,
    bookmark: () => null,
    cost: { plan: null, roundTrips: 0, rowsRead: 0, estimateRows: 0, milliseconds: 0, region: null, size: 0 },
    explanation: null,
  }
}

const MILLISECOND = 1000n * TICKS
const instant = (milliseconds: number | null) => (milliseconds === null ? null : BigInt(milliseconds) * MILLISECOND)
const micros = (microseconds: number | null | undefined) =>
  microseconds === null || microseconds === undefined ? null : BigInt(microseconds) * TICKS

const thingOf = (id: number, fields: Readonly<Record<string, unknown>>, more: Partial<Thing> = {}): Thing => ({
  id,
  fields: { ...(fields as Record<string, Value>), id: BigInt(id) }, // the callers give values only
  attributes: {},
  point: null,
  rectangle: null,
  texts: [],
  ...more,
})

/** Returns a function that makes the row of an event of some series. */
export const thingsOf = (records: readonly LoadRecord[]): ((event: EventRecord) => Thing) => {
  const series = new Map(records.filter((each) => each.kind === 'event_series').map((each) => [each.id, each]))
  const types = new Map(records.filter((each) => each.kind === 'observation_type').map((each) => [each.id, each]))
  const things = new WeakMap<EventRecord, Thing>()
  return (event) => {
    const thing = things.get(event) ?? eventThing(event, series, types)
    things.set(event, thing)
    return thing
  }
}

const eventThing = (
  event: EventRecord,
  series: ReadonlyMap<number, SeriesRecord>,
  types: ReadonlyMap<number, ObservationTypeRecord>,
): Thing => {
  const { id, category, value, start, end, coordinates, object, external_id = null, attributes } = event
  const owner = series.get(event.series)
  const fields = {
    category,
    value,
    external_id,
    value_number: leadingNumber(value),
    start: instant(start),
    end: instant(end),
    duration: instant(end - start),
    series: BigInt(event.series),
    series_uuid: owner?.uuid,
    series_name: owner?.name,
    series_color: owner?.color,
    series_access_modifier: BigInt(owner?.access_modifier ?? 0),
    series_observation_type: BigInt(owner?.observation_type ?? 0),
    series_observation_type_code: types.get(owner?.observation_type ?? 0)?.code,
    object_type: object?.model ?? null,
    object_id: object === null ? null : BigInt(object.id),
    last_modified: micros(event.last_modified),
  }
  const texts = [value, category, owner?.name, object?.model, external_id].filter((text) => typeof text === 'string')
  return thingOf(id, fields, {
    attributes: attributes ?? {},
    point: coordinates && [coordinates[0], coordinates[1]],
    texts: [...texts, ...textsIn(attributes ?? {})],
  })
}

/** Returns the texts and the numbers in JSON, without the names. */
const textsIn = (value: unknown): string[] => {
  if (typeof value === 'object') return value === null ? [] : Object.values(value).flatMap(textsIn)
  return typeof value === 'boolean' ? [] : [String(value)]
}

const seriesThing = (
  { id, observation_type, access_modifier, created, last_modified, metadata = null, ...fields }: SeriesRecord,
  types: ReadonlyMap<number, ObservationTypeRecord>,
  events: readonly EventRecord[],
): Thing => {
  const own = events.filter(({ series }) => series === id)
  const places = own.flatMap(({ coordinates }) => (coordinates === null ? [] : [coordinates]))
  const [xs, ys] = [places.map(([x]) => x), places.map(([, y]) => y)]
  const type = types.get(observation_type)
  const values = {
    ...fields,
    metadata: metadata && JSON.stringify(metadata),
    observation_type: BigInt(observation_type),
    observation_type_code: type?.code ?? null,
    observation_type_name: type?.name ?? null,
    unit: type?.unit ?? null,
    access_modifier: BigInt(access_modifier),
    created: micros(created),
    last_modified: micros(last_modified),
    start: own.length === 0 ? null : instant(Math.min(...own.map(({ start }) => start))),
    end: own.length === 0 ? null : instant(Math.max(...own.map(({ end }) => end))),
    event_count: BigInt(own.length),
  }
  const rectangle =
    places.length === 0 ? null : ([Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)] as const)
  return thingOf(id, values, { rectangle })
}

const rowOf = (thing: Thing, fields: readonly FieldRef[]): Row =>
  Object.fromEntries([
    ['id', thing.id],
    ...fields.flatMap((field) => (typeof field === 'string' ? [[field, thing.fields[field] ?? null]] : [])),
  ])

/** Returns the row of each series that starts last. If several do, it is the one with the greatest id. */
const latestOf = (things: readonly Thing[]): readonly Thing[] => {
  const latest = new Map<Value | undefined, Thing>()
  for (const thing of things) {
    const before = latest.get(thing.fields.series)
    const way = before === undefined ? 1 : inOrder(thing.fields.start ?? 0, before.fields.start ?? 0)
    if (way > 0 || (way === 0 && thing.id > (before?.id ?? 0))) latest.set(thing.fields.series, thing)
  }
  return [...latest.values()]
}

/** Compares rows. A descending order is the exact reverse, but rows without a value may stay at the end. */
const comparisonOf =
  (order: Order) =>
  (a: Thing, b: Thing): number => {
    const [one, other] = [sortValue(order, a), sortValue(order, b)]
    const way = order.descending ? -1 : 1
    const nulls = order.nulls === 'last' ? 1 : -way
    if (one === null || other === null) return one === other ? (a.id - b.id) * way : one === null ? nulls : -nulls
    return (inOrder(one, other) || a.id - b.id) * way
  }

const sortValue = ({ by, from }: Order, { attributes, fields, point }: Thing): Value => {
  if (typeof by === 'object') return sortedAs(attributes[by.attribute])
  if (by === 'distance') return from === undefined || point === null ? null : distanceBetween(from, point)
  return fields[by] ?? null
}

const sortedAs = (value: unknown): Value => {
  if (typeof value === 'boolean') return Number(value)
  return typeof value === 'object' ? value && JSON.stringify(value) : ((value as Value) ?? null) // a number or a text
}

/** Returns the number of rows before a slice. */
const startOf = (sorted: readonly Thing[], { order, slice }: Question): number => {
  const { from, limit } = slice
  if (from === 'end') return Math.max(0, Math.ceil(sorted.length / limit) - 1) * limit
  if ('offset' in from) return from.offset
  const { id } = from.after
  const place = sorted.findIndex((thing) => thing.id === id)
  if (place < 0) throw new RangeError(`No row has the id ${id} in the order by ${order.by}.`)
  return place + 1
}
