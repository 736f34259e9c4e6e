/** Returns the faults of a value, each with its place. The list is empty if the value has the shape. */
export type Shape = (value: unknown, at?: string) => string[]

const shape =
  (what: string, test: (value: unknown) => boolean): Shape =>
  (value, at = '') =>
    test(value) ? [] : [`${at} is ${JSON.stringify(value) ?? 'missing'}: ${what}`]

const either =
  (first: Shape, second: Shape): Shape =>
  (value, at) =>
    first(value, at).length === 0 ? [] : second(value, at)

const listOf =
  (item: Shape): Shape =>
  (value, at = '') =>
    Array.isArray(value) ? value.flatMap((each, i) => item(each, `${at}[${i}]`)) : [`${at} is no array`]

/** Requires exactly these fields. */
const fields =
  (shapes: Readonly<Record<string, Shape>>): Shape =>
  (value, at = '') => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${at} is no object`]
    const extra = Object.keys(value).filter((name) => !Object.hasOwn(shapes, name))
    const own = value as Record<string, unknown>
    return [
      ...extra.map((name) => `${at}.${name} is not in the specification`),
      ...Object.entries(shapes).flatMap(([name, each]) => each(own[name], `${at}.${name}`)),
    ]
  }

const nothing = shape('null', (value) => value === null)
const text = shape('a text', (value) => typeof value === 'string')
const integer = shape('an integer', Number.isInteger)
const count = shape('a count', (value) => Number.isInteger(value) && (value as number) >= 0)
const number = shape('a number', Number.isFinite)
const object = shape('an object or null', (value) => typeof value === 'object' && !Array.isArray(value))
const orNull = (other: Shape) => either(nothing, other)
const matching = (pattern: RegExp) =>
  shape(String(pattern), (value) => typeof value === 'string' && pattern.test(value))

const HEX = '[0-9a-f]'
const ID = String.raw`\d+`
const UUID = `${HEX}{8}-${HEX}{4}-${HEX}{4}-${HEX}{4}-${HEX}{12}`
const address = (path: string, key: string) =>
  matching(
    new RegExp(String.raw`^http://localhost:8787${path}${key}/(\?format=(api|json|geojson|csv|spreadsheet|ndjson))?$`),
  )

const point = fields({
  type: matching(/^Point$/),
  coordinates: shape(
    'three numbers',
    (value) => Array.isArray(value) && value.length === 3 && value.every(Number.isFinite),
  ),
})

/** An event (2.2 of the specification). */
export const feature = fields({
  id: integer,
  type: matching(/^Feature$/),
  geometry: orNull(point),
  properties: fields({
    category: text,
    value: text,
    url: address('/api/v3/events/', ID),
    timestamp_start: integer,
    timestamp_end: integer,
    event_series: integer,
    the_geom: orNull(point),
    object: orNull(fields({ type: text, id: integer })),
  }),
})

const color = matching(/^#[0-9a-f]{6}$/i)

/** A series of version 3 (2.3). */
export const seriesV3 = fields({
  url: address('/api/v3/eventseries/', UUID),
  name: text,
  description: text,
  observation_type: address('/api/v3/observationtypes/', ID),
  statistic: text,
  color,
  first_value_timestamp: orNull(integer),
  last_value_timestamp: orNull(integer),
  spatial_bounds: orNull(fields({ west: number, east: number, north: number, south: number })),
})

const instant = matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?Z$/)

/** A series of version 4 (2.4). */
export const seriesV4 = fields({
  url: address('/api/v4/eventseries/', UUID),
  uuid: matching(new RegExp(`^${UUID}$`)),
  name: text,
  description: text,
  observation_type: address('/api/v4/observationtypes/', ID),
  statistic: text,
  color,
  start: orNull(instant),
  end: orNull(instant),
  access_modifier: matching(/^(Public|Private|Common|Hidden)$/),
  last_modified: orNull(instant),
  created: instant,
})

/** An event of version 4. */
export const eventV4 = fields({
  id: integer,
  type: matching(/^Feature$/),
  geometry: orNull(point),
  properties: fields({
    category: text,
    value: text,
    url: address('/api/v4/events/', ID),
    ...{ start: instant, end: instant, last_modified: instant },
    event_series: matching(new RegExp(`^${UUID}$`)),
    ...{ external_id: orNull(text), attributes: object },
    object: orNull(fields({ type: text, id: integer })),
  }),
})

/** The members of an event in a flat form, except its times. */
const flatEvent = {
  ...{ category: text, value: text, event_series: matching(new RegExp(`^${UUID}$`)), event_series_name: text },
  ...{ object_type: orNull(text), object_id: orNull(integer), external_id: orNull(text), last_modified: instant },
  attributes: object,
}

/** The shapes of GeoJSON properties, for lists that write them in a flat form. */
export const FLAT: ReadonlyMap<Shape, Shape> = new Map([
  [
    feature,
    fields({ ...flatEvent, timestamp_start: instant, timestamp_end: instant, url: address('/api/v3/events/', ID) }),
  ],
  [eventV4, fields({ ...flatEvent, start: instant, end: instant, url: address('/api/v4/events/', ID) })],
  [
    seriesV3,
    fields({
      url: address('/api/v3/eventseries/', UUID),
      ...{ name: text, description: text },
      observation_type: address('/api/v3/observationtypes/', ID),
      ...{ statistic: text, color, first_value_timestamp: orNull(instant), last_value_timestamp: orNull(instant) },
      ...{ west: orNull(number), east: orNull(number), north: orNull(number), south: orNull(number) },
    }),
  ],
])

const typeOf = (path: string) =>
  fields({ url: address(path, ID), id: integer, code: text, name: text, unit: orNull(text) })

/** The items of the lists, by path. */
export const ITEMS: Readonly<Record<string, Shape>> = {
  '/api/v3/events/': feature,
  '/api/v3/eventseries/': seriesV3,
  '/api/v3/observationtypes/': typeOf('/api/v3/observationtypes/'),
  '/api/v4/eventseries/': seriesV4,
  '/api/v4/events/': eventV4,
  '/api/v4/observationtypes/': typeOf('/api/v4/observationtypes/'),
}

const turn = orNull(matching(/^http:\/\/localhost:8787\/api\/v[34]\/[\w%]+\/(\?\S+)?$/))

/** A page of a list (2.1). */
export const envelope = (item: Shape): Shape => fields({ count, next: turn, previous: turn, results: listOf(item) })

const some = shape('a count above 0', (value) => Number.isInteger(value) && (value as number) > 0)

/** Requires an array with these items in this order. */
const tuple =
  (...shapes: readonly Shape[]): Shape =>
  (value, at = '') =>
    Array.isArray(value) && value.length === shapes.length
      ? shapes.flatMap((each, i) => each(value[i], `${at}[${i}]`))
      : [`${at} is no array of ${shapes.length}`]

const summaryFields = fields({
  count,
  time: fields({
    start: orNull(integer),
    end: orNull(integer),
    step: orNull(some),
    bins: listOf(tuple(integer, some)),
  }),
  density: fields({
    level: orNull(shape('a level', (value) => Number.isInteger(value) && (value as number) <= 12)),
    cells: listOf(tuple(number, number, number, number, some)),
  }),
  without_geometry: count,
})

/**
 * A summary of events. Its bins count every event once. Its cells and the events without geometry also count every
 * event once.
 */
export const summary: Shape = (value, at = '') => {
  const faults = summaryFields(value, at)
  if (faults.length > 0) return faults
  // biome-ignore lint/suspicious/noExplicitAny: it has the shape.
  const { count: events, time, density, without_geometry } = value as any
  const sum = (groups: number[][]) => groups.reduce((total, group) => total + (group.at(-1) ?? 0), 0)
  return [
    ...(sum(time.bins) === events ? [] : [`${at}.time.bins do not make up ${events}`]),
    ...(sum(density.cells) + without_geometry === events ? [] : [`${at}.density.cells do not make up ${events}`]),
    ...(time.bins.length <= 512 && density.cells.length <= 4096 ? [] : [`${at} has too many groups`]),
  ]
}

/**
 * The answer to a post. It is the new item. For several items, it has their ids, and for events also the numbers of
 * new, changed and unchanged events.
 */
export const created =
  (item: Shape): Shape =>
  (value, at) => {
    const several = typeof value === 'object' && value !== null && 'ids' in value
    const uuids = several && 'uuids' in value ? { uuids: listOf(text) } : {}
    const numbers = several && 'created' in value ? { created: count, changed: count, unchanged: count } : {}
    return (several ? fields({ ids: listOf(integer), ...uuids, ...numbers }) : item)(value, at)
  }
const relation = fields({ rel: text, href: matching(/^http:\/\/localhost:8787\/api\/v[34]\//), type: text })

/** The members of a FeatureCollection without its features. */
export const shapeOfList = fields({ type: text, numberMatched: count, numberReturned: count, links: listOf(relation) })

/** An object whose values are addresses. */
export const root: Shape = (value, at = '') =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([name, each]) =>
        matching(/^http:\/\/localhost:8787\/api\//)(each, `${at}.${name}`),
      )
    : [`${at} is no object`]

/** The answer to OPTIONS. */
export const description: Shape = (value, at = '') => {
  const { name, description, renders, parses } = (value ?? {}) as Record<string, unknown>
  return [
    ...text(name, `${at}.name`),
    ...text(description, `${at}.description`),
    ...listOf(text)(renders, `${at}.renders`),
    ...listOf(text)(parses, `${at}.parses`),
  ]
}

const LEAKS = /\b(undefined|NaN|SELECT|WHERE|SQLITE\w*|D1_\w+|\w+Error)\b|\[object|\.[jt]s:\d|\bat \w+ \(/

/** A message for a client. Outside of its quotes, it has no internal names such as SQL words. */
export const message = shape('a message', (value) => {
  if (typeof value !== 'string') return false
  const own = value.replace(/"(?:[^"\\]|\\.)*"|'.*'/gs, '""')
  return /^\S.*\s\S/s.test(own) && !LEAKS.test(own)
})

/** The body of a refusal. It has a `detail`, or messages under the names of parameters. */
export const refusal: Shape = (value, at = '') => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${at} is no object`]
  const entries = Object.entries(value)
  if (entries.length === 0) return [`${at} says nothing`]
  return entries.flatMap(([name, told]) => {
    if (name === 'detail' && !Array.isArray(told)) return message(told, `${at}.${name}`)
    return Array.isArray(told) && told.length === 0
      ? [`${at}.${name} says nothing`]
      : listOf(message)(told, `${at}.${name}`)
  })
}
