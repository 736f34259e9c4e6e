import { type Row, testMany, testRows } from './oracle.ts'
import { event, FOUNDATION, series } from './world.ts'

// Each lookup of a text, LIKE, CASEI and regular expressions, on texts that are special somewhere: in JSON, in patterns, in
// a folding, in UTF-16, or at a length.

const LONG = 'a long text, longer than the fifty bytes that a LIKE pattern may have'
const PLACE = 'M 2.4 - 81km WNW of Skagway, Alaska, and then some more text'
const [FOLDED, LENGTHENED] = ['ΣΊΣΥΦΟΣ', ['ﬁn', 'ﬃ', 'ŉ', 'ΐ', 'µm', 'ΜM']]

const TEXTS = [
  ...['', ' ', 'a', 'A', ' a', 'a ', 'b', 'a,b', '100', '100%', '1000', '%', '_', 'a_b', 'aXb', "it's", '"it"', "''"],
  ...'\\ back\\slash \\% a\\ é É e\u0301 straße STRASSE STRAßE ẞ ΣΑΣ σας ı i'.split(' '),
  ...['I', 'İ', 'i\u0307', '🦆', '🦆🦆', 'a🦆b', '🦅', '\ud7ff', '\ud7ffx', '\ue000', '\ufffd', '\ufffdx', '\uffff'],
  ...['\u{10000}', '𐐨𐐀', '\u{10ffff}', '\u{10ffff}a', '\u{10ffff}\u{10ffff}', 'tropical storm', 'Tropical Depression'],
  ...['tab\tnew\nline', '*?[a]', '\ufeffa', '\u00a0a', '\u0001', '{"a":1}', 'NULL', '1', 'null', 'true', PLACE, LONG],
  ...[`${LONG}!`, `${'a'.repeat(298)}!`, 'aa', 'aba', 'axbxbbxa', '_b', 'ab'.repeat(140), 'ab'.repeat(150), FOLDED],
  ...LENGTHENED,
]
const idOf = (text: string) => TEXTS.indexOf(text) + 1
const ALL = TEXTS.map((_, i) => i + 1)

/** Event and series i have text i. The events of the last two series have objects, or nothing. */
const [OBJECTS, NOTHING] = [201, 202]
const MODELS = ['storm', 'airport', 'pump_station', 'pumpxstation', '100', '1000']
const RECORDS = [
  ...FOUNDATION.slice(0, 1),
  ...TEXTS.map((name, i) => series(i + 1, name, 0)),
  ...TEXTS.map((text, i) =>
    event(i + 1, '2020-01-01', {
      ...{ series: i + 1, category: text, value: text, attributes: { a: text } },
      external_id: text === '' ? null : text,
    }),
  ),
  series(OBJECTS, 'objects', 0),
  series(NOTHING, 'nothing', 0),
  ...MODELS.map((model, i) => event(301 + i, '2020-01-01', { series: OBJECTS, object: { model, id: i } })),
]
const isObject = 'event_series__id=201'

/** Returns a row with the texts that a request finds. */
const row = (asks: string, ...texts: readonly string[]): Row => ({
  asks: `${asks}&id__lt=300`,
  finds: texts.map(idOf).sort((a, b) => a - b),
})
const every = (asks: string): Row => ({ asks: `${asks}&id__lt=300`, finds: ALL })

const LOOKUPS: readonly Row[] = [
  row('category=a', 'a'),
  row('category= a', ' a'),
  row('category__in=a,,b', '', 'a', 'b'),
  row('category__in=a,b,nothing', 'a', 'b'),
  row('category__in=,', ''),
  row('category__in=a, a', 'a', ' a'),
  row('category__exact=', ''),
  row('category__exact=&category__iexact=a'),
  row('category=100%', '100%'),
  row('category__startswith=100', '100', '100%', '1000'),
  row('category__startswith=tropical&category__endswith=storm', 'tropical storm'),
  row('category__istartswith=TROPICAL', 'tropical storm', 'Tropical Depression'),
  row('category__istartswith=t&category__iendswith=ION', 'Tropical Depression'),
  row('category__startswith=🦆', '🦆', '🦆🦆'),
  row('category__startswith=\ud7ff', '\ud7ff', '\ud7ffx'),
  row('category__startswith=\u{10ffff}', '\u{10ffff}', '\u{10ffff}a', '\u{10ffff}\u{10ffff}'),
  row('value__startswith=\ufffd', '\ufffd', '\ufffdx'),
  row('category__contains=%', '100%', '%', '\\%'),
  row('category__contains=_', '_', 'a_b', '_b'),
  row("category__contains='", "it's", "''"),
  row('category__contains=\\', '\\', 'back\\slash', '\\%', 'a\\'),
  row('category__endswith=\\', '\\', 'a\\'),
  row('value__icontains=AB', 'tab\tnew\nline', 'aba', 'ab'.repeat(140), 'ab'.repeat(150)),
  row('value__endswith=🦆', '🦆', '🦆🦆'),
  row('category__iendswith=𐐀', '𐐨𐐀'),
  row('value__iendswith=𐐀', '𐐨𐐀'),
  row('value__iendswith=!', `${LONG}!`, `${'a'.repeat(298)}!`),
  // A letter whose upper case has several stays as it is.
  row('category__iexact=é', 'é', 'É'),
  row('category__iexact=strasse', 'STRASSE'),
  row('category__iexact=STRAßE', 'straße', 'STRAßE'),
  row('category__iexact=σας', 'ΣΑΣ', 'σας'),
  row('category__iexact=i', 'ı', 'i', 'I'),
  row('category__iexact=İ', 'İ'),
  row('event_series__name=TROPICAL STORM', 'tropical storm'),
  row('event_series__name__exact=TROPICAL STORM'),
  row('event_series__name__exact=', ''),
  row('event_series__name=é&category=é', 'é'),
  row('external_id=a', 'a'),
  row('external_id= a', ' a'),
  row('external_id__in=a,b,b,none', 'a', 'b'),
  row('external_id__in=,'),
  row('external_id=a&external_id__in=b'),
  row('attributes__a__iexact=ΣΑΣ', 'ΣΑΣ', 'σας'),
  row('attributes__a__exact=', ''),
  row('value=NULL', 'NULL'),
  { asks: `object_type__model__contains=_&${isObject}`, finds: [303] },
  { asks: `object_type__model__in=storm,100&${isObject}`, finds: [301, 305] },
  { asks: `object_type__model__istartswith=PUMP&${isObject}`, finds: [303, 304] },
  // Complements. A value of none is not this value.
  {
    asks: 'category__not=a&category__startswith=a&id__lt=60',
    finds: ['a ', 'a,b', 'a_b', 'aXb', 'a\\', 'a🦆b'].map(idOf),
  },
  { asks: `category__exact__not=&value__exact=`, finds: MODELS.map((_, i) => 301 + i) },
  { asks: 'object_type__model__not=storm&id__gt=299', finds: [302, 303, 304, 305, 306] },
  { asks: 'object_type__model__in__not=storm,100&id__range=1,302', finds: [...ALL, 302] },
  { asks: 'external_id__not=a&id__lt=5', finds: [1, 2, 4] },
  { asks: 'category__in__not=a,A&id__lt=6', finds: [1, 2, 5] },
  { asks: 'event_series__name__not=A&id__lt=6', finds: [1, 2, 5] },
  { asks: 'attributes__a__not=a&id__in=2,3,301', finds: [2, 301] },
  { asks: '/api/v4/eventseries/?name=nothing', finds: [NOTHING] },
  { asks: '/api/v4/eventseries/?name__not=a&id__lte=5', finds: { faults: ['id__lte'] } },
  { asks: '/api/v3/eventseries/?name__in=a,objects', finds: [idOf('a'), OBJECTS] },
]

const json = (filter: object): string =>
  `/ogc/collections/events/items?limit=1000&filter-lang=cql2-json&filter=${JSON.stringify(filter)}`
const property = (name: string) => ({ property: name })
const casei = (of: object | string) => ({ op: 'casei', args: [of] })

const LIKES: readonly Row[] = [
  ['\\%', '%'],
  ['\\_%', '_', '_b'],
  ['%\\\\', '\\', 'a\\'],
  ['1__%', '100', '100%', '1000'],
  ['1___%', '100%', '1000'],
  ['1__\\%', '100%'],
  ['_\\_%', 'a_b'],
  ['_\\\\', 'a\\'],
  ['%\\%', '100%', '%', '\\%'],
  ['_🦆_', 'a🦆b'],
].map(([pattern, ...texts]) => ({
  asks: json({ op: 'like', args: [property('value'), pattern] }),
  finds: texts.map(idOf).sort((a, b) => a - b),
}))

const EMPTY: readonly Row[] = [
  ...['iexact', 'contains', 'startswith', 'iendswith', 'in', 'isnull', 'regex', 'not'].map((lookup) =>
    every(`category__${lookup}=`),
  ),
  ...['category=', 'event_series__name=', 'attributes__a=', 'object_id='].map(every),
  ...['category__isnull=false', 'category__isnull=0', 'event_series__name__isnull=FALSE'].map(every),
  ...['category__isnull=true', 'category__isnull=1', 'event_series__name__isnull=True'].map((asks) => row(asks)),
  every('object_type__model__isnull=true'),
  every('object_type__model__isnull=1'),
  { asks: 'object_type__model__isnull=false', finds: [301, 302, 303, 304, 305, 306] },
  { asks: `object_type__model__isnull= False &${isObject}`, finds: [301, 302, 303, 304, 305, 306] },
  row('attributes__a__isnull=true'),
]

const NAMES = ['exact', 'iexact', 'contains', 'icontains', 'startswith', 'istartswith', 'endswith', 'iendswith', 'in']
const FIELDS = ['category', 'value', 'event_series__name', 'attributes__a', '/api/v4/eventseries/?page_size=1000&name']
const COLUMNS = ['category', 'value', 'external_id']
const GIVEN = TEXTS.filter((text) => text !== '')

const PATTERNS = [
  ...['%', '%%', '_%', '%_', '__', '', '\\%', '\\_%', '\\\\', 'a\\', 'a%a%a', '%a_b%b_a%', '%_'.repeat(6), 'a*_?[c]'],
  ...['M 2._ - 81km WNW of Skagway, Alaska, and %', '%_ - 81km WNW of Skagway, % some more te__', '%text%more text'],
  ...['M %81km WNW of Skagway, Alaska, and%then some more text', '%Skagway%M %', 'M 2.4 %M 2.4 -%', 'M 2.4%', '%xt'],
  ...['M %81km WNW of Skagway, Alaska, and%then some more tex', `%${'ab'.repeat(145)}%ab%`, `%${'b%'.repeat(20)}`],
  ...[70, 71].map((times) => `${'ab'.repeat(70)}%${'ab'.repeat(times)}`),
  ...['%SS_', '%ß%', 'ﬃ', 'Σ%Σ', 'İ', '%tropical%', '_🦆_'],
]

const EXPRESSIONS = [
  ...'^a b$ ^.$ ^..$ ^$ é [é🦆] ^🦆+$ \\d+ \\D\\d?$ ^(tropical|back) 100% a_b \\\\'.split(' '),
  ...[' [ls]', '^\\p{Lu}+$', '[^\\x00-\\x7f]', 'S$', 'straße', '^.{60,}$', "'"],
  ...['σ', '^i$', 'depression|STORM', '[a-c]+,', '(?:é|e)\u0301?$', '\\x{feff}'],
]

const engines = testRows(RECORDS, { 'a lookup of a text': LOOKUPS, 'a pattern of LIKE': LIKES, 'no value': EMPTY })

const each = NAMES.flatMap((name) => GIVEN.map((text) => [name, text] as const))
testMany(
  'each lookup of each text',
  9,
  engines,
  each.map(([name, text], i) => ({ asks: `${FIELDS[i % FIELDS.length]}__${name}=${text}` })),
)

const folded = [...COLUMNS, 'event_series_name'].map((name) => casei(property(name)))
testMany(
  'CASEI of each text',
  5,
  engines,
  TEXTS.flatMap((text, i) => [
    { asks: json({ op: '=', args: [folded[i % 4], casei(text)] }) },
    { asks: json({ op: 'not', args: [{ op: 'in', args: [folded[(i + 1) % 4], [text, casei('STRASSE')]] }] }) },
  ]),
)

const columns = COLUMNS.map(property)
testMany(
  'each pattern of LIKE',
  3,
  engines,
  PATTERNS.flatMap((pattern, i) => [
    { asks: json({ op: 'like', args: [columns[i % 3], pattern] }) },
    { asks: json({ op: 'not', args: [{ op: 'like', args: [casei(columns[(i + 1) % 3] ?? ''), casei(pattern)] }] }) },
  ]),
)

testMany(
  'each regular expression',
  3,
  engines,
  EXPRESSIONS.flatMap((pattern, i) =>
    ['regex', 'iregex'].map((lookup, j) => ({ asks: `${FIELDS[(i + j) % 4]}__${lookup}=${pattern}` })),
  ),
)
