import fc from 'fast-check'
import type { FilterSet } from '../../src/filters/filter.ts'
import { LIST_PARAMETERS } from '../../src/http/page.ts'
import { SUMMARY as SUMMARISED } from '../../src/http/summary.ts'
import { allEventsV4, events } from '../../src/lists/event.ts'
import { eventSeriesV3, eventSeriesV4 } from '../../src/lists/series.ts'
import { observationTypesV3, observationTypesV4 } from '../../src/lists/type.ts'
import { bearer, KEYS } from '../service.ts'
import { bodies } from './bodies.ts'
import { type Care, garbage, LIST_VALUES, UUID, valuesOf } from './values.ts'

/** A request. */
export interface Asked {
  readonly method: string
  /** The path and the query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
  /** Bytes of each chunk of the body. Null: it is sent whole, with its length. */
  readonly chunk: number | null
}

/** All lists of versions 3 and 4. */
export const LISTS = [events, allEventsV4, eventSeriesV3, eventSeriesV4, observationTypesV3, observationTypesV4]
/** The summary of events. It takes the filters of a list, but its answer has another shape. */
export const SUMMARY = { path: SUMMARISED.path, filters: events.filters, own: ['bins', 'level'] }
export const FORM = 'application/x-www-form-urlencoded'

/** An address with its filters and its other parameters. */
interface Queried {
  readonly path: string
  readonly filters: FilterSet
  readonly own?: readonly string[]
}

const oneOf = <T>(...values: readonly T[]) => fc.constantFrom(...values)
const rarely = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>, weight = 9) =>
  fc.oneof({ arbitrary: usual, weight }, { arbitrary: rare, weight: 1 })

const key = fc.oneof(
  oneOf('1', '16231', '99999', UUID, UUID.slice(0, 7), UUID.toUpperCase(), 'f', '-', '9'.repeat(40), '1e3', '%31'),
  oneOf('%', '%zz', '%E0%A4%A', '%00', '%2F', '..%2f', '%2e%2e', '*', ':key', '__proto__', 'é', ';', '1;2', '1 2'),
  garbage.map(encodeLoosely),
)
const list = oneOf<Queried>(...LISTS, events, events, SUMMARY)
const root = oneOf('/', '/api/v3/', '/api/v4/', '/healthz', '/readyz')
const unknown = fc.oneof(
  oneOf('/api', '/api/', '/api/v3', '/api/v5/', '/api/v3/events', '/api/v4/eventseries', '/healthz/'),
  oneOf('//', '//api/v3/events/', '//example.org/api/v3/events', '/api//v3/', '/API/V3/EVENTS/', '/api/v3/events//'),
  oneOf(
    '/favicon.ico',
    '/%',
    '/%E0%A4%A',
    '/api/v3/events/1/2/',
    '/api/v3/events/1',
    '/../etc/passwd',
    '/api/v3/%65vents/',
  ),
  fc.array(garbage, { maxLength: 4 }).map((parts) => `/${parts.map(encodeLoosely).join('/')}`),
)

/** Percent-encodes only the characters that would end the path or the query, or that are not allowed. */
function encodeLoosely(text: string): string {
  return text.toWellFormed().replace(/[#?&\s\p{Cc}]/gu, (character) => encodeURIComponent(character))
}

const everyByte = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
const properly = (text: string): string => encodeURIComponent(text.toWellFormed()).replaceAll('%20', '+')
const written = rarely(
  oneOf(properly, properly, everyByte, encodeLoosely),
  oneOf<(text: string) => string>(
    (text) => `${properly(text)}%`,
    (text) => `%zz${properly(text)}`,
    (text) => `${properly(text)}%E0%A4`,
    (text) => `${properly(text)}%ff%fe`,
    (text) => properly(properly(text)),
  ),
)

const name = fc.oneof(
  oneOf(
    'categroy',
    'Category',
    'category__',
    'category__exact__exact',
    '__icontains',
    'geom__within',
    'page__size',
    '',
  ),
  oneOf(
    '__proto__',
    'constructor',
    'toString',
    'limit',
    'offset',
    'q',
    'fields',
    'callback',
    'id[]',
    'event_series_id',
  ),
  garbage,
)

const carefully: Readonly<Record<string, fc.Arbitrary<Care>>> = {
  careful: fc.constant('valid'),
  careless: fc.oneof(
    { arbitrary: oneOf<Care>('valid'), weight: 6 },
    { arbitrary: oneOf<Care>('nearly', 'garbage'), weight: 2 },
  ),
}

/**
 * Generates one parameter as text. A careful request takes it from the parameters of the list. A careless request
 * sometimes has an unknown one.
 */
const parameterOf = ({ filters, own = [] }: Queried, manner: string): fc.Arbitrary<string> => {
  const known = fc
    .tuple(
      oneOf(...filters.keys(), ...LIST_PARAMETERS, ...LIST_PARAMETERS, ...own, ...own),
      carefully[manner] ?? fc.constant('valid'),
    )
    .chain(([name, care]) => {
      const [, lookup = ''] = /__([a-z]+)$/.exec(name) ?? []
      const values = LIST_VALUES[name]?.[care] ?? valuesOf(filters.get(name)?.kind ?? '', lookup, care)
      return fc.tuple(values, written).map(([value, write]) => `${name}=${write(value)}`)
    })
  if (manner === 'careful') return known
  const other = fc.tuple(name, garbage, written).map(([name, value, write]) => `${write(name)}=${write(value)}`)
  return rarely(known, fc.oneof(other, oneOf('', '=', '=1', 'page', '&&', '%=%', 'category')))
}

/** Parameters with comma lists. A query may repeat them. */
const REPEATED = /^(\w+__in|event_series)=/

const queryOf = (resource: Queried): fc.Arbitrary<string> =>
  rarely(
    oneOf('careful', 'careful', 'careless').chain((manner) => {
      const parameters = fc.array(parameterOf(resource, manner), { maxLength: 4 })
      return parameters.map((pairs) => {
        const once = new Map(pairs.map((pair) => [REPEATED.exec(pair) ? pair : pair.split('=')[0], pair]))
        return (manner === 'careful' ? [...once.values()] : pairs).join('&')
      })
    }),
    fc.oneof(
      oneOf(100, 5000, 15_000, 16_100, 16_200, 16_330, 17_000).map(
        (length) => `category__startswith=${'e'.repeat(length)}`,
      ),
      oneOf(1000, 3000, 5500).map(
        (length) => `category__in=${'earthquake,'.repeat(length / 11)}earthquake&page_size=1`,
      ),
      oneOf(100, 600, 990).map((length) =>
        `category__in=earthquake,${'w'.repeat(14)},`.concat(`${'w'.repeat(14)},`.repeat(length)),
      ),
      oneOf(1000, 1100).map((length) => `object_id__in=${'1,'.repeat(length)}1`),
      oneOf(10, 700).map((length) => `geom_within=MULTIPOINT(${'(5 52),'.repeat(length)}(5 52))&page_size=2`),
    ),
    30,
  )

const path = fc.oneof(
  {
    arbitrary: list.chain((resource) => queryOf(resource).map((query) => `${resource.path}?${query}`)),
    weight: 10,
  },
  {
    arbitrary: fc
      .tuple(list, key)
      .chain(([resource, key]) =>
        rarely(fc.constant(''), queryOf(resource), 3).map((query) => `${resource.path}${key}/?${query}`),
      ),
    weight: 3,
  },
  {
    arbitrary: fc.tuple(fc.oneof(root, unknown), rarely(oneOf(''), queryOf(events), 2)).map((parts) => parts.join('?')),
    weight: 3,
  },
)

const ascii = fc.string({ unit: 'grapheme-ascii', maxLength: 40 })
const orGarbage = (...values: readonly string[]) => rarely(oneOf(...values), ascii)
const basic = (text: string) => `Basic ${btoa(text)}`
const keys = Object.keys(KEYS)

const HEADERS: Readonly<Record<string, fc.Arbitrary<string>>> = {
  Accept: orGarbage(
    '*/*',
    'application/json',
    'text/html,application/xhtml+xml,*/*;q=0.8',
    'text/html',
    'text/csv',
    'application/geo+json',
    'application/x-ndjson, */*;q=0.5',
    'application/atom+xml, */*;q=0.5',
    'application/json;q=2',
    'application/json;q=0',
    '*/*;q=x',
    ',,;;',
    `${'a/b,'.repeat(500)}*/*`,
  ),
  Authorization: orGarbage(
    ...keys.map((key) => bearer(key).Authorization),
    ...keys.map((key) => basic(`__key__:${key}`)),
    'Bearer',
    'Bearer wrong',
    'Bearer  common',
    basic('__key__:'),
    basic('admin:common'),
    'Basic !!!',
    'Negotiate x',
    `Bearer ${'x'.repeat(5000)}`,
  ),
  'If-None-Match': orGarbage('*', '""', 'W/""', 'W/"1-0-0123456789abcdef"', 'W/"', '"a", "b"', '"x",'.repeat(500)),
  'If-Modified-Since': orGarbage('Thu, 01 Jan 1970 00:00:00 GMT', 'Thu, 01 Jan 2099 00:00:00 GMT', '0', '-1', 'now'),
  'X-D1-Bookmark': orGarbage(
    'first-primary',
    '00000001-00000000-00004c6d-8e61117bf38d7adb71b934ebbf891683',
    'f-f',
    '0-0',
  ),
  'Idempotency-Key': orGarbage('a', '"a"', crypto.randomUUID(), 'x'.repeat(300)),
  'If-Match': orGarbage('*', 'W/"1-0-0"', '"1"', 'W/"1-0-0123456789abcdef", "x"'),
  'X-Request-Id': orGarbage('a', 'x'.repeat(300), 'id-1'),
  Origin: orGarbage('https://example.org', 'null'),
  'Access-Control-Request-Method': orGarbage('GET', 'PUT'),
  'Access-Control-Request-Headers': orGarbage('authorization', 'x-anything, accept'),
}

const headers = fc
  .array(
    oneOf(...Object.keys(HEADERS)).chain((name) => (HEADERS[name] ?? ascii).map((value) => [name, value] as const)),
    { maxLength: 3 },
  )
  .map((pairs): Record<string, string> => Object.fromEntries(pairs))

const method = fc.oneof(
  { arbitrary: oneOf('GET'), weight: 12 },
  { arbitrary: oneOf('POST'), weight: 5 },
  { arbitrary: oneOf('HEAD', 'OPTIONS'), weight: 2 },
  { arbitrary: oneOf('PUT', 'PATCH', 'DELETE'), weight: 1 },
  { arbitrary: oneOf('PROPFIND', 'COPY', 'LOCK', 'PURGE', 'REPORT', 'SEARCH'), weight: 1 },
)

const contentType = orGarbage(
  FORM,
  FORM,
  FORM,
  FORM,
  FORM,
  FORM,
  `${FORM}; charset=UTF-8`,
  FORM.toUpperCase(),
  'application/json',
  'multipart/form-data',
  '',
)
const body = fc.oneof(
  { arbitrary: list.chain(queryOf), weight: 6 },
  { arbitrary: fc.uint8Array({ maxLength: 200 }), weight: 1 },
  {
    arbitrary: fc.oneof(
      oneOf('{}', '[1', '<a/>', '&'.repeat(5000), '='.repeat(5000), 'a=1&'.repeat(2000), '%'.repeat(3000)),
      oneOf(19_000, 25_000).map((length) => `category__startswith=${'e'.repeat(length)}`),
      garbage.map((text) => text.toWellFormed()),
    ),
    weight: 1,
  },
)

const address = rarely(
  oneOf('/api/v3/events/1/', '/api/v3/events/2/', '/api/v3/events/77/', `/api/v4/eventseries/${UUID}/`).chain((item) =>
    oneOf(item, item, item, `${item}?events=delete`),
  ),
  path,
)
const writtenTo = rarely(oneOf('/api/v3/events/', '/api/v3/events/', ...LISTS.map(({ path }) => path)), path)

/** Generates requests that write. Most of them have a key that may write. */
const writing = (method: string): fc.Arbitrary<Omit<Asked, 'chunk'>> =>
  fc
    .record({
      path: method === 'POST' ? writtenTo : address,
      headers,
      body: bodies,
      type: orGarbage(
        'application/json',
        'application/json',
        'application/geo+json',
        'application/json; charset=utf-8',
      ),
      key: rarely(oneOf('writer'), oneOf('private', 'hidden'), 12),
    })
    .map(({ path, headers, body, type, key }) => ({
      method,
      path,
      headers: { ...bearer(key), ...headers, 'Content-Type': type },
      body: method === 'DELETE' ? null : body,
    }))

/** Generates requests for every kind of address, valid or invalid. Some send their body in chunks. */
export const requests: fc.Arbitrary<Asked> = fc
  .tuple(method.chain(requestsBy), oneOf(null, null, null, 1000, 7))
  .map(([request, chunk]) => ({ ...request, chunk }))

function requestsBy(method: string): fc.Arbitrary<Omit<Asked, 'chunk'>> {
  const bare = fc.record({ method: fc.constant(method), path, headers, body: fc.constant(null) })
  if (['GET', 'HEAD', 'OPTIONS'].includes(method)) return bare
  const posted = rarely(
    list.map(({ path }) => path),
    path,
    4,
  )
  if (method === 'PUT' || method === 'PATCH' || method === 'DELETE') return writing(method)
  const query = fc
    .record({ path: method === 'POST' ? posted : path, headers, body, contentType })
    .map(({ contentType, headers, ...rest }) => ({
      method,
      ...rest,
      headers: { ...headers, 'Content-Type': contentType },
    }))
  return method === 'POST' ? fc.oneof(query, writing(method)) : query
}
