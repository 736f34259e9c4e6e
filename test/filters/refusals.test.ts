import { expect, it } from 'vitest'
import { get, post } from '../service.ts'
import { refusal } from './records.ts'

// A wrong value is a 400 that names its parameter and says what to enter.

const SERIES = '/api/v4/eventseries/'
const ITEMS = '/ogc/collections/events/items'
const UTF8 = 'Enter text in UTF-8, percent-encoded.'
const NUL = 'Null characters are not allowed.'
const WHOLE = 'Enter a whole number, such as 986.'
const NUMBER = 'Enter a number, such as 0.4.'
const TWO = 'Enter the lowest and the highest value, separated by a comma.'
const UUID = 'Enter a uuid or its first characters, such as 99fe5d0. For a number use event_series__id.'
const FULL_UUID = 'Enter a full uuid, such as 99fe5d03-893d-5b20-8244-b9189db33e37.'
const LEVEL = 'Enter one of Public (0), Common (100), Private (200), Hidden (300).'
const OBJECT = 'Enter <model>$<object_id>, such as airport$986.'
const INSTANT =
  'Enter an instant in ISO 8601, such as 2018-02-05T00:00:00Z or 2018-02-05T00:00:00%2B01:00 (plus as %2B), or milliseconds since 1970, such as 1517834096123.'
const DURATION =
  'Enter a duration as [days ][[HH:]MM:]SS, such as 06:00:00, or in ISO 8601 with days, hours, minutes and seconds, such as PT21H2M.'
const INTERVAL =
  'Enter an instant, a date or an interval, such as 2018-02-05, 2018-02-05T00:00:00Z/2018-02-06T00:00:00Z or 2018-02-05/.. with an open end.'
const NOW =
  /Enter now, or now with a number of hours \(h\), days \(d\) or weeks \(w\), such as now-7d or now%2B12h \(plus as %2B\)\./
const BOX = 'Enter west, south, east and north in degrees, such as bbox=3,50,8,54.'
const NO_WORD = 'There is no word. Enter maria flood, "tropical storm" or flo*.'
const PHRASE = /Enter two around a phrase: "tropical storm"\./
const STAR = /outside of quotes\. Enter flo\* or "flo"\./
const CIRCLE = /near=5\.1,52\.1&radius=10000/
const FORM = 'Unknown parameter. Enter attributes__NAME or attributes__NAME__LOOKUP, such as attributes__mag__gte=4.5.'
const ANY_NAME = 'CQL2 takes any name, in the collection of its series: /ogc/collections/events-<uuid>/items?'

type Refusal = readonly [query: string, message: string | RegExp, path?: string | undefined]
/** Returns a refusal for each value of a parameter. */
const each = (name: string, message: string | RegExp, values: readonly string[], path?: string): Refusal[] =>
  values.map((value) => [`${name}=${value}`, message, path])

const REFUSALS: readonly Refusal[] = [
  ['category=a%00b', NUL],
  ['event_series__name=%00', NUL],
  ...['category=%FF', 'category__in=a,%C3', 'category__exact=%ED%A0%80', 'category__regex=%C3%28'].map(
    (query): Refusal => [query, UTF8],
  ),
  ['category__isnull=%FF', UTF8],
  ['category__isnull=yes', 'Enter true or false.'],
  ['attributes__mag__isnull=5', 'Enter true or false.'],
  ...each('object_id', WHOLE, '1e3 0x10 %20 9.5 9.01 .0 9,8 1_000 --9 %2B-9 %EF%BC%99 %D9%A3 -+9 9+8'.split(' ')),
  ...each('object_id__lt', WHOLE, 'NaN Infinity null 9n 9.0.0'.split(' ')),
  ['object_id__lt=%00', NUL],
  ...each('object_id__in', WHOLE, ['9,', '9,x']),
  ...each('object_id__range', TWO, ['9', '1,2,3']),
  ['object_id__range=1,', WHOLE],
  ['object_id__not=x', WHOLE],
  ...each('value__gt', NUMBER, ['x', '0.4+m', '2e400']),
  ...each('value__range', NUMBER, ['1,x']),
  ['value__range=1', TWO],
  ['value__gtee=1', 'Unknown parameter. Did you mean value__gte?'],
  ['value__gtee=1', 'Unknown parameter. Did you mean value__gte?', '/api/v4/events/'],
  ...each('event_series', UUID, 'g 99fe5d0g 0x99 99fe%205d03 - %20 99%25 %EF%BC%99 99fe5d0, ,'.split(' ')),
  ...each('event_series', UUID, ['99fe5d03893d5b208244b9189db33e370', '99,x', '%7B99fe5d03%7D']),
  ['event_series=99fe5d03-893d-5b20-8244-b9189db33e37x', UUID],
  ['event_series__id=99fe5d0', WHOLE],
  ['event_series__id__in=1,x', WHOLE],
  ['event_series__id__exact=1.5', WHOLE],
  ...['event_series__id__gt', 'event_series__id__range', 'external_id__gt', 'external_id__icontains', 'bbox__not'].map(
    (name): Refusal => [`${name}=1,2`, /^Unknown parameter/],
  ),
  ['event_series__observation_type__gt=1', /^Unknown parameter/],
  ['event_series__observation_type=%00', NUL],
  ...each('event_series__access_modifier', LEVEL, ['secret', '50']),
  ...each('access_modifier', LEVEL, 'nobody 1 99 400 -100 100.5 1e2 0x0 Public,Common %20 100x'.split(' '), SERIES),
  ...each('uuid', FULL_UUID, ['9', 'x', '99fe5d0', '99fe5d03-893d-5b20-8244-b9189db33e3'], SERIES),
  ['uuid=9', FULL_UUID, '/api/v3/eventseries/'],
  ...each('object', OBJECT, ['storm', '$7', '$', '7', '%20']),
  ...each('object', WHOLE, ['storm$', 'storm$x', 'storm$7$8', 'storm$$7', 'storm$7,8', 'storm$1e3']),
  ['timestamp_start=yesterday', INSTANT],
  ['timestamp_start__gt=2018-02-30', INSTANT],
  [`timestamp_end__lte=2018-02-05T12:34:56.${'1'.repeat(101)}Z`, INSTANT],
  ['timestamp_end__range=2018-02-05,', INSTANT],
  ...each('timestamp_start__range', TWO, ['2018-02-05', '2018-02-05,2018-02-06,2018-02-07']),
  ...each('duration__gte', DURATION, ['P1W', 'P1Y', 'P1M', 'PT', 'soon', '9'.repeat(201)]),
  ['datetime=yesterday', INTERVAL],
  ['datetime=2016-01-01/2015-01-01', 'The interval ends before it starts. Enter the earlier time first.'],
  ...[
    'timestamp_start__gte=now-7m',
    'timestamp_end__range=now-7d,now-',
    'datetime=../now-7',
    'last_modified__gte=Now',
  ].map((query): Refusal => [query, NOW]),
  ['created__gte=now-1y', NOW, SERIES],
  ...each('bbox', BOX, ['1,2,3', '1,2,3,4,5', '1,2,NaN,4', '1,2,1e999,4', '1,2,,4']),
  ['bbox=3,50,8', BOX, SERIES],
  ['bbox=3,50,8', BOX, '/api/v3/eventseries/'],
  [
    'bbox=1,4,3,2',
    'The south of the box is greater than its north. Enter west, south, east and north, such as 3,50,8,54.',
  ],
  ...['near=5.1,52.1', 'near=5.1,52.1&radius=', 'radius=10', 'near=5.1&radius=10', 'near=5.1,52.1,3&radius=10'].map(
    (query): Refusal => [query, CIRCLE],
  ),
  ...each('near', CIRCLE, ['5.1+52.1&radius=10', 'x,52.1&radius=10', '181,52.1&radius=10', '52.1,90.1&radius=10']),
  ...each(
    'radius',
    CIRCLE,
    ['0', '-1', '20040001', '10km', '1e999'].map((radius) => `${radius}&near=5.1,52.1`),
  ),
  ['radius=1&near=5.1,52.1&radius=2', 'Given more than once. Give it once.'],
  ['q=a&q=b', 'Given more than once. Give it once.'],
  ...each('q', PHRASE, ['"tropical storm', 'maria " flood']),
  ...each('q', NO_WORD, ['%20', '-%2B%3F']),
  ['q=maria ""', 'There is no word between the quotes. Enter maria flood, "tropical storm" or flo*.'],
  ...each('q', STAR, ['*', '*lood', 'f*d', 'flo**', '"flo*"']),
  [`q=${'w '.repeat(21)}`, 'Enter at most 20 words.'],
  ['attributes__mag__gte=x', NUMBER],
  ['attributes__mag__range=1,x', NUMBER],
  ['attributes__mag__range=1', TWO],
  ['attributes={"mag":4.5}', FORM.replace('Unknown parameter. ', '')],
  ['attributes__=1', FORM],
  ['attributes____gte=1', FORM],
  ...[
    ...['mag__gte__x', 'mag__gtee', 'mag__gte__not', 'gte', 'icontains', 'not', '1', '_a', 'a_', 'a-b', 'é', 'mag__'],
    ...['a b', 'a.b', 'a__b'],
  ].map((name): Refusal => [`attributes__${name}=1`, `${FORM} ${ANY_NAME}filter="${name}" = 5.`]),
  ['attributes__a b__gte=1', `${FORM} ${ANY_NAME}filter="a b" = 5.`],
]

const given = REFUSALS.map(([query, message, path = '/api/v3/events/']) => [query, message, path] as const)
it.each(given)('%s: %s', async (query, message, path) => {
  const [name = ''] = query.split('=')
  const body = (await refusal(query.replaceAll(' ', '%20').replaceAll('"', '%22'), {}, path)) as Record<
    string,
    string[]
  >
  if (typeof message === 'string') expect(body).toEqual({ [name]: [message] })
  else expect(body[name]?.join()).toMatch(message)
})

it.each(['q=*', 'bbox=1', 'near=5', 'datetime=../now-7', 'timestamp_start__gte=x'])(
  '%s names its parameter under /ogc',
  async (query) => {
    const [name = ''] = query.split('=')
    expect(JSON.stringify(await refusal(query, {}, ITEMS))).toContain(`"${name}"`)
  },
)

it.each([
  'category__icontains',
  'category__startswith',
  'value__startswith',
  'category__endswith',
  'attributes__a__startswith',
])('a posted %s of 300,000 characters is searched, and a longer one is a 400', async (name) => {
  const value = 'x'.repeat(300_000)
  expect((await get('/api/v3/events/', post(`${name}=${value}`))).count).toBe(0)
  expect(await refusal('', post(`${name}=${value}x`))).toEqual({ [name]: ['Enter at most 300000 characters.'] })
})

it('a text with too many different letters is a 400 for a lookup without case', async () => {
  const letters = Array.from({ length: 2000 }, (_, i) => String.fromCodePoint(0xc0 + i)).join('')
  const message = { value__icontains: ['Enter a text with fewer different letters.'] }
  expect(await refusal('', post(`value__icontains=${letters}`))).toEqual(message)
})

it('20 filters by attributes fit into one statement, and too long ones are a 400', async () => {
  const many = (filter: string) => Array.from({ length: 20 }, (_, i) => `attributes__n${i}__${filter}`).join('&')
  expect((await get(`/api/v3/events/?${many('not=7.5')}`)).count).toBe(0)
  const letters = String.fromCodePoint(...Array.from({ length: 900 }, (_, i) => 0x100 + i))
  expect(await refusal('', post(many(`icontains=${letters}`)))).toEqual({
    detail: 'These filters are too long together. Send fewer or shorter filters.',
  })
})

it('a member of the object attributes is read as a parameter', async () => {
  const query = `attributes=${encodeURIComponent('{"attributes__a__gte":"x"}')}`
  expect(await refusal(query)).toEqual({ attributes__a__gte: [NUMBER] })
})
