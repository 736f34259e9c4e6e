import { beforeAll, describe, expect, it } from 'vitest'
import type { EventRecord } from '../../src/store/records.ts'
import { eventIds, get, load, post, send } from '../service.ts'
import { outcome } from '../store/writer.ts'
import { splitRows } from '../tags.ts'
import { eventOf, observationType, pair, refusal, seriesOf } from './records.ts'

/** Values of the attribute `a`. Each is in one event. */
const VALUES: readonly unknown[] = [
  ...[0, -1, 4, 4.5, 4.500000000000001, 5, 0.1, 0.30000000000000004, 0.3, 100, 1e21, 1e-7, 5e-324, -1.5e300],
  ...[2 ** 53, 2 ** 53 - 1, 2 ** 53 + 2, 2 ** 63, 2 ** 64, 1234567890123456800, 1.7976931348623157e308],
  ...[
    '',
    '4.5',
    '5',
    ' 5',
    '1e2',
    'Skagway',
    'SKAGWAY, Alaska',
    'Düne',
    'DÜNE',
    'true',
    'null',
    '%_',
    `it's "x"`,
    '🌋',
  ],
  ...[true, false, null, [], [4.5], ['Skagway'], {}, { a: 5 }],
]
/** Events of other forms: without attributes, without `a`, or with `a` in another place. */
const OTHERS: readonly EventRecord['attributes'][] = [
  null,
  {},
  { A: 5, b: 'Skagway' },
  { b: { a: 4.5 } },
  { '': 1, a__gte: 5 },
]
const ALL: readonly EventRecord['attributes'][] = [...VALUES.map((a) => ({ a, other: 'Skagway' })), ...OTHERS]

const SERIES = seriesOf(1)
const LISTS: readonly [path: string, list: string][] = [
  [`/api/v4/eventseries/${SERIES.uuid}/events/`, 'results'],
  ['/api/v4/events/', 'results'],
  ['/ogc/collections/events/items', 'features'],
]

beforeAll(() =>
  load([
    ...[observationType, SERIES, seriesOf(2, { access_modifier: 300 })],
    ...ALL.map((attributes, i) => eventOf(i + 1, { attributes })),
    ...ALL.map((attributes, i) => eventOf(1000 + i, { attributes, series: 2 })),
  ]),
)

const upper = (text: string) => text.toUpperCase()
const texts = (test: (text: string, value: string) => boolean) => (a: unknown, value: string) =>
  typeof a === 'string' && test(a, value)
const numbers = (test: (number: number, value: number) => boolean) => (a: unknown, value: string) =>
  typeof a === 'number' && test(a, Number(value))
const equals = (a: unknown, value: string): boolean => {
  if (typeof a === 'number') return value.trim() !== '' && a === Number(value)
  return typeof a === 'boolean' ? String(a) === value : a === value
}

/** The slowest obvious way to decide a lookup. */
const LOOKUPS: Readonly<Record<string, (a: unknown, value: string) => boolean>> = {
  '': equals,
  __exact: equals,
  __not: (a, value) => !equals(a, value),
  __in: (a, value) => value.split(',').some((each) => equals(a, each)),
  __in__not: (a, value) => !value.split(',').some((each) => equals(a, each)),
  __iexact: texts((text, value) => upper(text) === upper(value)),
  __contains: texts((text, value) => text.includes(value)),
  __icontains: texts((text, value) => upper(text).includes(upper(value))),
  __startswith: texts((text, value) => text.startsWith(value)),
  __istartswith: texts((text, value) => upper(text).startsWith(upper(value))),
  __endswith: texts((text, value) => text.endsWith(value)),
  __iendswith: texts((text, value) => upper(text).endsWith(upper(value))),
  __lt: numbers((number, value) => number < value),
  __lte: numbers((number, value) => number <= value),
  __gt: numbers((number, value) => number > value),
  __gte: numbers((number, value) => number >= value),
}
const OF_NUMBERS = ['__lt', '__lte', '__gt', '__gte']
const ASKED = [...VALUES.map((value) => (typeof value === 'object' ? JSON.stringify(value) : String(value))), '+.5e1']

const idsOf = (test: (a: unknown) => boolean) => ALL.flatMap((each, i) => (test(each?.a) ? [i + 1] : []))

describe('a filter by an attribute finds the same events as plain TypeScript', () => {
  for (const [options, values] of splitRows(4, ASKED))
    it.each(Object.keys(LOOKUPS))('attributes__a%s', options, async (lookup) => {
      for (const value of values) {
        if (value === '' || (OF_NUMBERS.includes(lookup) && !Number.isFinite(Number(value)))) continue
        const expected = idsOf((a) => LOOKUPS[lookup]?.(a, value) ?? false)
        expect(await eventIds(pair(`attributes__a${lookup}`, value)), value).toEqual(expected)
      }
    })

  it.each<[string, (a: unknown, all: EventRecord['attributes']) => boolean]>([
    ['attributes__a__exact=', (a) => a === ''],
    ['attributes__a__exact__not=', (a) => a !== ''],
    ['attributes__a=', () => true],
    ['attributes__a__isnull=true', (a) => a === undefined || a === null],
    ['attributes__a__isnull=false', (a) => a !== undefined && a !== null],
    ['attributes__a__range=4,4.5', (a) => typeof a === 'number' && a >= 4 && a <= 4.5],
    ['attributes__a__range=5,4', () => false],
    ['attributes__a__in=4.5&attributes__a__in=Skagway', (a) => a === 4.5 || a === '4.5' || a === 'Skagway'],
    ['attributes__a__in=1234567890123456800,18446744073709552000', (a) => a === 1234567890123456800 || a === 2 ** 64],
    ['attributes__a__regex=^S.*y', (a) => typeof a === 'string' && /^S.*y/.test(a)],
    ['attributes__a__iregex=^$|d%C3%BCne|n', (a) => typeof a === 'string' && /^$|düne|n/i.test(a)],
    ['attributes__a__gt=4&attributes__other__icontains=skag', (a) => typeof a === 'number' && a > 4],
    ['attributes__A=5', (_, all) => all?.A === 5],
    ['attributes__missing=5', () => false],
    ['attributes__missing__not=5', () => true],
  ])('%s, in each list and each form', async (query, matches) => {
    const expected = ALL.flatMap((each, i) => (matches(each?.a, each) ? [i + 1] : []))
    expect(await eventIds(query), 'v3').toEqual(expected)
    expect(await eventIds('', post(query)), 'posted').toEqual(expected)
    expect((await get(`/api/v3/events/summary/?${query}`)).count, 'summary').toBe(expected.length)
    for (const [path, list] of LISTS) {
      // Complements are parameters of lists alone.
      if (query.includes('__not') && path.startsWith('/ogc')) continue
      const found = (await get(`${path}?${query}&${list === 'results' ? 'page_size' : 'limit'}=100`))[list]
      expect(
        found.map(({ id }: { id: number }) => id),
        path,
      ).toEqual(expected)
    }
  })

  it('pages keep the filter', async () => {
    const { next } = await get('/api/v3/events/?attributes__a__gt=0&page_size=2')
    expect(next).toContain('attributes__a__gt=0')
    expect((await get(next)).results.map(({ id }: { id: number }) => id)).toEqual(
      idsOf((a) => typeof a === 'number' && a > 0).slice(2, 4),
    )
  })

  it('20 filters fit into one statement, and too long ones are a 400', async () => {
    const many = (filter: string) => Array.from({ length: 20 }, (_, i) => `attributes__n${i}__${filter}`).join('&')
    expect(await eventIds(many('not=7.5'))).toEqual(ALL.map((_, i) => i + 1))
    const letters = String.fromCodePoint(...Array.from({ length: 900 }, (_, i) => 0x100 + i))
    expect(await refusal('', post(many(`icontains=${letters}`)))).toEqual({
      detail: 'These filters are too long together. Send fewer or shorter filters.',
    })
  })
})

it('takes all parameters of attributes as one object of JSON', async () => {
  const query = (members: object) => `attributes=${encodeURIComponent(JSON.stringify(members))}`
  const asked = { attributes__a__gte: 4.5, attributes__other: 'Skagway' }
  expect(await eventIds(query(asked))).toEqual(await eventIds('attributes__a__gte=4.5&attributes__other=Skagway'))
  for (const wrong of [{ page_size: 'all' }, { ...asked, id: 1 }, {}])
    expect(await refusal(query(wrong))).toEqual({ attributes: [FORM.replace('Unknown parameter. ', '')] })
  expect(await refusal(query({ attributes__a__gte: 'x' }))).toEqual({
    attributes__a__gte: ['Enter a number, such as 0.4.'],
  })
})

const ANY_NAME = 'CQL2 takes any name, in the collection of its series: /ogc/collections/events-<uuid>/items?'
const FORM = 'Unknown parameter. Enter attributes__NAME or attributes__NAME__LOOKUP, such as attributes__mag__gte=4.5.'

it.each<[string, string]>([
  ['attributes__mag__gte=x', 'Enter a number, such as 0.4.'],
  ['attributes__mag__range=1,x', 'Enter a number, such as 0.4.'],
  ['attributes__mag__range=1', 'Enter the lowest and the highest value, separated by a comma.'],
  ['attributes__mag__isnull=5', 'Enter true or false.'],
  ['attributes={"mag":4.5}', FORM.replace('Unknown parameter. ', '')],
  ...['attributes__', 'attributes____gte'].map((name): [string, string] => [`${name}=1`, FORM]),
  ...[
    ...['mag__gte__x', 'mag__gtee', 'mag__gte__not', 'gte', 'icontains', 'not', '1', '_a', 'a_', 'a-b', 'é', 'mag__'],
    ...['a b', 'a.b', 'a__b'],
  ].map((name): [string, string] => [`attributes__${name}=1`, `${FORM} ${ANY_NAME}filter="${name}" = 5.`]),
  ['attributes__a b__gte=1', `${FORM} ${ANY_NAME}filter="a b" = 5.`],
])('%s is a 400', async (query, message) => {
  const [name = ''] = query.split('=')
  for (const path of ['/api/v3/events/', ...LISTS.map(([path]) => path).filter((path) => path.startsWith('/api'))])
    expect(await refusal(encodeURI(query), {}, path)).toEqual({ [name]: [message] })
})

it('OPTIONS and OpenAPI describe the parameters once', async () => {
  const { filters } = await get('/api/v3/events/', { method: 'OPTIONS' })
  expect(Object.entries(filters).filter(([name]) => name.startsWith('attributes'))).toEqual([
    ['attributes', 'attributes'],
  ])
  const { components } = await get('/openapi.json')
  const { name, schema, explode } = components.parameters['Feature.attributes']
  expect([name, explode, schema.type]).toEqual(['attributes', undefined, 'object'])
  // A generated client keeps such members, and drops those of patternProperties.
  expect(schema.additionalProperties).toEqual({ type: 'string' })
  const isDescribed = (parameter: string) => new RegExp(schema.propertyNames.pattern).test(parameter)
  for (const right of ['attributes__mag', 'attributes__a_b__in__not', 'attributes__M1__gte'])
    expect(isDescribed(right), right).toBe(true)
  for (const wrong of ['attributes', 'attributes__1', 'attributes__a_', 'attributes__a__gte__in__x', 'category'])
    expect(isDescribed(wrong), wrong).toBe(false)
})

it('a file has the filter in its name, and DELETE takes it', async () => {
  const file = await send('/api/v3/events/?attributes__a__gte=4.5&format=csv')
  expect(file.headers.get('Content-Disposition')).toContain('attributes-a-gte-4.5')
  const events = `/api/v4/eventseries/${SERIES.uuid}/events/`
  const made = { type: 'Feature', geometry: null, properties: { start: 0, attributes: { doomed: 1 } } }
  await outcome('POST', events, made)
  expect(await outcome('DELETE', `${events}?attributes__doomed=1`)).toMatchObject({ body: { deleted: 1 } })
})
