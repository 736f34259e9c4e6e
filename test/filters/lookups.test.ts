import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { NOT } from '../../src/filters/filterSet.ts'
import { events } from '../../src/lists/event.ts'
import { get, load, post } from '../service.ts'
import { EXHAUSTIVE, splitRows } from '../tags.ts'
import {
  COMPARES,
  eventIds,
  eventOf,
  millisecondsOf,
  observationType,
  pair,
  refusal,
  seriesIds,
  seriesOf,
} from './records.ts'

/** The slowest obvious way: every code point becomes its upper case, unless that has several code points. */
const upper = (text: string) =>
  [...text].map((point) => ([...point.toUpperCase()].length === 1 ? point.toUpperCase() : point)).join('')

const MATCHES: Record<string, (text: string, value: string) => boolean> = {
  exact: (text, value) => text === value,
  iexact: (text, value) => upper(text) === upper(value),
  contains: (text, value) => text.includes(value),
  icontains: (text, value) => upper(text).includes(upper(value)),
  startswith: (text, value) => text.startsWith(value),
  istartswith: (text, value) => upper(text).startsWith(upper(value)),
  endswith: (text, value) => text.endsWith(value),
  iendswith: (text, value) => upper(text).endsWith(upper(value)),
  in: (text, value) => value.split(',').includes(text),
}

const LONG = 'a long text, longer than the fifty bytes that a LIKE pattern may have'

const TEXTS = [
  ...['', ' ', 'a', 'A', ' a', 'a ', 'b', 'a,b', '100', '100%', '1000', '%', '_', 'a_b', 'aXb', "it's", '"it"', "''"],
  ...['\\', 'back\\slash', '\\%', 'é', 'É', 'e\u0301', 'straße', 'STRASSE', 'STRAßE', 'ẞ', 'ΣΑΣ', 'σας', 'ı', 'i', 'I'],
  ...[
    'İ',
    'i\u0307',
    '🦆',
    '🦆🦆',
    '🦅',
    '\ud7ff',
    '\ud7ffx',
    '\ue000',
    '\ufffd',
    '\ufffdx',
    '\uffff',
    '\u{10000}',
    '𐐨𐐀',
  ],
  ...['\u{10ffff}', '\u{10ffff}a', '\u{10ffff}\u{10ffff}', 'tropical storm', 'Tropical Depression', 'tab\tnew\nline'],
  ...['*?[a]', '\ufeffa', '\u00a0a', '\u0001', '{"a":1}', 'NULL', '1', LONG, `${LONG}!`, `${'a'.repeat(1000)}!`],
]

const MODELS = ['storm', 'airport', 'pump_station', 'pumpxstation', '100', '1000']
const OBJECT_IDS = [0, 1, 9, -9, 10, 986, 2 ** 53 - 1, 2 ** 53 - 2, 1 - 2 ** 53]

const [FIRST_MODEL, FIRST_OBJECT] = [1001, 2001]

beforeAll(async () => {
  const named = TEXTS.map((name, i) => seriesOf(i + 1, { name }))
  const models = MODELS.map((model, i) => eventOf(FIRST_MODEL + i, { object: { model, id: 5000 } }))
  const objects = OBJECT_IDS.map((id, i) => eventOf(FIRST_OBJECT + i, { object: { model: 'thing', id } }))
  await load([
    observationType,
    ...named,
    seriesOf(901),
    seriesOf(902),
    ...TEXTS.map((category, i) => eventOf(i + 1, { category, value: category, series: i + 1 })),
    ...models.map((event) => ({ ...event, series: 901 })),
    ...objects.map((event) => ({ ...event, series: 902 })),
  ])
})

const inSeries = (id: number) => `event_series=${seriesOf(id).uuid}`

/** Returns the texts of the events that a query finds. Each is the category, the value and the series name of one event. */
const textsOf = async (query: string) =>
  (await eventIds(query)).filter((id) => id < FIRST_MODEL).map((id) => TEXTS[id - 1])

const found = (lookup: string, value: string) => TEXTS.filter((text) => MATCHES[lookup]?.(text, value))

describe('every text lookup finds the same events as plain TypeScript', () => {
  const values = TEXTS.filter((text) => text !== '')

  const some = values.filter((_, i) => i % 3 === 0)

  for (const [options, lookups] of splitRows(5, Object.keys(MATCHES)))
    it.each(lookups)('category__%s and value__%s', options, async (lookup) => {
      for (const value of options.tags ? values : some)
        for (const field of ['category', 'value'])
          expect(await textsOf(pair(`${field}__${lookup}`, value)), `${field} ${value}`).toEqual(found(lookup, value))
    })

  // The lookups of names are tested with fewer values, because they equal those of categories.
  it.each(Object.keys(MATCHES))('event_series__name__%s, and name of the series', EXHAUSTIVE, async (lookup) => {
    for (const value of some) {
      expect(await textsOf(pair(`event_series__name__${lookup}`, value)), value).toEqual(found(lookup, value))
      const ids = await seriesIds(pair(`name__${lookup}`, value))
      const texts = ids.filter((id) => id <= TEXTS.length).map((id) => TEXTS[id - 1])
      expect(texts, value).toEqual(found(lookup, value))
    }
  })
})

describe('a text lookup with special characters, lists or spaces', () => {
  it.each([
    ['category=a', ['a']],
    ['category=%20a', [' a']],
    ['category=+a', [' a']],
    ['category=100%25', ['100%']],
    ['category__startswith=100', ['100', '100%', '1000']],
    ['category__contains=%25', ['100%', '%', '\\%']],
    ['category__contains=_', ['_', 'a_b']],
    ['category__contains=%27', ["it's", "''"]],
    ['category__contains=%5C', ['\\', 'back\\slash', '\\%']],
    ['category__iexact=%C3%A9', ['é', 'É']],
    ['category__iexact=strasse', ['STRASSE']],
    ['category__iexact=STRA%C3%9FE', ['straße', 'STRAßE']],
    ['category__iexact=%CF%83%CE%B1%CF%83', ['ΣΑΣ', 'σας']],
    ['category__iexact=i', ['ı', 'i', 'I']],
    ['category__iexact=%C4%B0', ['İ']],
    ['category__startswith=%F0%9F%A6%86', ['🦆', '🦆🦆']],
    ['category__startswith=%ED%9F%BF', ['\ud7ff', '\ud7ffx']],
    ['category__startswith=%F4%8F%BF%BF', ['\u{10ffff}', '\u{10ffff}a', '\u{10ffff}\u{10ffff}']],
    ['category__in=a,b,nothing', ['a', 'b']],
    ['category__in=a%2Cb', ['a', 'b']],
    ['category__in=a,,b', ['', 'a', 'b']],
    ['category__in=,', ['']],
    ['category__in=a,%20a', ['a', ' a']],
    ['category__exact=', ['']],
    ['category__exact=&category__iexact=a', []],
    ['category__startswith=tropical&category__endswith=storm', ['tropical storm']],
    ['event_series__name=TROPICAL+STORM', ['tropical storm']],
    ['event_series__name__exact=TROPICAL+STORM', []],
    ['event_series__name__exact=', ['']],
    ['event_series__name=%C3%A9&category=%C3%A9', ['é']],
  ])('%s finds %j', async (query, expected) => {
    expect(await textsOf(query)).toEqual(expected)
  })

  it.each([
    'category=',
    'category__iexact=',
    'category__contains=',
    'category__startswith=',
    'category__iendswith=',
    'category__in=',
    'category__isnull=',
    'category__regex=',
    'event_series__name=',
    'category__isnull=false',
    'category__isnull=0',
    'event_series__name__isnull=FALSE',
  ])('%s filters nothing', async (query) => {
    expect(await textsOf(query)).toEqual(TEXTS)
  })

  it.each(['category__isnull=true', 'category__isnull=1', 'event_series__name__isnull=True'])(
    '%s finds nothing',
    async (query) => {
      expect(await eventIds(query)).toEqual([])
    },
  )

  it.each([
    ['true', false],
    ['1', false],
    ['false', true],
    ['%20False+', true],
  ])('object_type__model__isnull=%s', async (value, hasObject) => {
    expect(await eventIds(`object_type__model__isnull=${value}&${inSeries(901)}`)).toEqual(
      hasObject ? MODELS.map((_, i) => FIRST_MODEL + i) : [],
    )
    expect(await textsOf(`object_type__model__isnull=${value}`)).toEqual(hasObject ? [] : TEXTS)
  })

  it.each([
    'category__icontains',
    'category__startswith',
    'category__istartswith',
    'category__endswith',
    'value__startswith',
    'attributes__a__startswith',
  ])('a posted %s of 300,000 characters is searched, and a longer one is a 400', async (name) => {
    const value = 'x'.repeat(300_000)
    expect(await eventIds('', post(`${name}=${value}`))).toEqual([])
    expect(await refusal('', post(`${name}=${value}x`))).toEqual({ [name]: ['Enter at most 300000 characters.'] })
  })

  it.each([
    ['category=a%00b', { category: ['Null characters are not allowed.'] }],
    ['category=%FF', { category: ['Enter text in UTF-8, percent-encoded.'] }],
    ['category__in=a,%C3', { category__in: ['Enter text in UTF-8, percent-encoded.'] }],
    ['category__exact=%ED%A0%80', { category__exact: ['Enter text in UTF-8, percent-encoded.'] }],
    ['category__regex=%C3%28', { category__regex: ['Enter text in UTF-8, percent-encoded.'] }],
    ['event_series__name=%00', { event_series__name: ['Null characters are not allowed.'] }],
    ['category__isnull=yes', { category__isnull: ['Enter true or false.'] }],
    ['category__isnull=%FF', { category__isnull: ['Enter text in UTF-8, percent-encoded.'] }],
  ])('%s is a 400', async (query, body) => {
    expect(await refusal(query)).toEqual(body)
  })
})

describe('regular expressions', () => {
  for (const [options, patterns] of splitRows(3, [
    ...'^a b$ ^.$ ^..$ ^$ é [é🦆] ^🦆+$ \\d+ \\D\\d?$ ^(tropical|back) 100% a_b \\\\'.split(' '),
    ...[' [ls]', '^\\p{Lu}+$', '[^\\x00-\\x7f]', 'S$', 'straße', '^.{60,}$', "'"],
    ...['σ', '^i$', 'depression|STORM', '[a-c]+,', '(?:é|e)\u0301?$', '\\x{feff}'],
  ]))
    it.each(patterns)('%s finds what JavaScript finds', options, async (pattern) => {
      const source = pattern.replaceAll('\\x{', '\\u{') // the notation of JavaScript
      for (const [lookup, flags] of [
        ['regex', 'u'],
        ['iregex', 'iu'],
      ] as const) {
        const expression = new RegExp(source, flags)
        const expected = TEXTS.filter((text) => expression.test(text))
        expect(await textsOf(pair(`category__${lookup}`, pattern)), lookup).toEqual(expected)
        expect(await textsOf(pair(`value__${lookup}`, pattern)), lookup).toEqual(expected)
        expect(await textsOf(pair(`event_series__name__${lookup}`, pattern)), lookup).toEqual(expected)
      }
    })

  const SYNTAX =
    'Enter a regular expression in RE2 syntax, such as ^tropical (storm|depression)$. RE2 has no back references and no look-around.'
  const LARGE = 'This expression is too large. Enter smaller repetition counts, such as {0,100}.'
  const LENGTH = 'Enter a regular expression of at most 200 characters.'

  it.each<[string, string]>([
    ...'( [ * a** a{1001} (?=a) (?!a) (?<=a)b (a)\\1 \\ [b-a] ((a{100}){100}){100}'
      .split(' ')
      .map((pattern): [string, string] => [pattern, SYNTAX]),
    ['(.?){1000}', LARGE],
    ['(.?){1000}'.repeat(20), LARGE],
    ['.{0,1000}'.repeat(22), LARGE],
    ['x'.repeat(201), LENGTH],
  ])('%s is a 400 within 2 seconds', async (pattern, message) => {
    const refused = async () => {
      expect(await refusal(pair('category__regex', pattern))).toEqual({ category__regex: [message] })
      expect(await refusal(pair('category__iregex', pattern))).toEqual({ category__iregex: [message] })
    }
    expect(await millisecondsOf(refused)).toBeLessThan(2000)
  })

  it.each(['(a+)+$', '(a|a)*b', '(a*)*b', '(.*)*x', '^(a?){100}a{100}$', 'x'.repeat(200)])(
    '%s is answered within 2 seconds',
    async (pattern) => {
      const looked = () => textsOf(pair('category__regex', pattern))
      expect(await millisecondsOf(looked)).toBeLessThan(2000)
    },
  )
})

/** Returns the object ids of the events that a query finds. */
const objectsOf = async (query: string) =>
  (await eventIds(`${query}&${inSeries(902)}`)).map((id) => OBJECT_IDS[id - FIRST_OBJECT])

describe('numbers', () => {
  for (const [options, rows] of splitRows<[string, bigint]>(3, [
    ['9', 9n],
    ['9.0', 9n],
    ['9.000', 9n],
    ['009', 9n],
    ['%2B9', 9n],
    ['+9', 9n],
    ['-9', -9n],
    ['-09.0', -9n],
    ['%20%099%0A', 9n],
    ['0', 0n],
    ['-0', 0n],
    ['000', 0n],
    ['5', 5n],
    ['9'.repeat(400), 10n ** 400n],
    [`-${'9'.repeat(400)}`, -(10n ** 400n)],
    [`${'0'.repeat(400)}9`, 9n],
    [String(2n ** 62n), 2n ** 62n],
    [String(2n ** 63n), 2n ** 63n],
    [String(2n ** 64n + 9n), 2n ** 64n + 9n],
    ...[-3n, -2n, -1n, 0n, 1n, 2n].map((n): [string, bigint] => [String(2n ** 53n + n), 2n ** 53n + n]),
    ...[-2n, -1n, 0n, 1n, 2n].map((n): [string, bigint] => [String(-(2n ** 53n) + n), -(2n ** 53n) + n]),
  ]))
    it.each(rows)('%s is compared exactly', options, async (text, value) => {
      for (const [lookup, matches] of Object.entries(COMPARES)) {
        const expected = OBJECT_IDS.filter((id) => matches(BigInt(id), value))
        expect(await objectsOf(`object_id__${lookup}=${text}`), lookup).toEqual(expected)
      }
      expect(await objectsOf(`object_id=${text}`)).toEqual(OBJECT_IDS.filter((id) => BigInt(id) === value))
      expect(await objectsOf(`object_id__in=5,${text}`)).toEqual(OBJECT_IDS.filter((id) => BigInt(id) === value))
      expect(await objectsOf(`object_id__range=0,${text}`)).toEqual(OBJECT_IDS.filter((id) => id >= 0 && id <= value))
    })

  it.each([
    ['object_id__in=9,986', [9, 986]],
    ['object_id__in=986,%20009.0,1', [1, 9, 986]],
    ['object_id__in=5', []],
    ['object_id__range=1,10', [1, 9, 10]],
    ['object_id__range=-9,0', [0, -9]],
    ['object_id__range=9,9', [9]],
    ['object_id__range=10,1', []],
    ['object_id__gt=1&object_id__lt=10', [9]],
    ['object_id=', OBJECT_IDS],
    ['object_id__in=', OBJECT_IDS],
  ])('%s finds %j', async (query, expected) => {
    expect(await objectsOf(query)).toEqual(expected)
  })

  const WHOLE = 'Enter a whole number, such as 986.'
  const TWO = 'Enter the lowest and the highest value, separated by a comma.'

  it.each<[string, string | null]>([
    ...[...'1e3 0x10 %20 9.5 9.01 .0 9,8 1_000 --9 %2B-9 %EF%BC%99 %D9%A3'.split(' '), '- 9', '9 8'].map(
      (value): [string, string] => [`object_id=${value}`, WHOLE],
    ),
    ...['NaN', 'Infinity', 'null', '9n', '9.0.0', '%00'].map((value): [string, null] => [
      `object_id__lt=${value}`,
      null,
    ]),
    ['object_id__in=9,', WHOLE],
    ['object_id__in=9,x', WHOLE],
    ['object_id__range=9', TWO],
    ['object_id__range=1,2,3', TWO],
    ['object_id__range=1,', WHOLE],
  ])('%s is a 400', async (query, message) => {
    const [name = ''] = query.split('=')
    const messages = message === null ? [expect.any(String)] : [message]
    expect(await refusal(query)).toEqual({ [name]: messages })
  })

  it('a million zeros and a letter are a 400 within 2 seconds', async () => {
    const refused = () => refusal('', post(`object_id=${'0'.repeat(1_000_000)}x`))
    expect(await millisecondsOf(refused)).toBeLessThan(2000)
  })

  it('the id of a series is filtered like other numbers', async () => {
    expect(await get('/api/v3/eventseries/?id=901')).toMatchObject({ count: 1, results: [{ name: 'Series 901' }] })
    expect((await get('/api/v3/eventseries/?id__range=901,902')).count).toBe(2)
    expect((await get(`/api/v3/eventseries/?id=${'9'.repeat(400)}`)).count).toBe(0)
  })
})

describe('limits of filters', () => {
  const MANY = 'Enter at most 1000 values, separated by commas.'
  const lists = [
    ['category__in', 'a'],
    ['event_series__name__in', 'a'],
    ['object_type__model__in', 'storm'],
    ['object_id__in', '9'],
    ['duration__in', '00:00:09'],
    ['event_series', 'c0ffee'],
  ] as const

  it.each(lists)('%s takes 1,000 values, and 1,001 are a 400', async (name, value) => {
    const values = Array<string>(1000).fill(value)
    expect(await eventIds(`${name}=${values}`)).toEqual(await eventIds(`${name}=${value}`))
    expect(await refusal(`${name}=${values},${value}`)).toEqual({ [name]: [MANY] })
  })

  it.each(lists)('%s takes 1,000 different values', async (name, value) => {
    const values = Array.from({ length: 1000 }, (_, i) => `${value}${name === 'event_series' ? i.toString(16) : i}`)
    await eventIds('', post(`${name}=${values}`))
  })

  /** Returns a D1 database that records the text of every statement. */
  const watched = <T extends object>(database: T, statements: string[]): T =>
    new Proxy(database, {
      get: (target, key) => {
        const member = Reflect.get(target, key)
        if (typeof member !== 'function') return member
        return (...args: unknown[]) => {
          if (key === 'prepare') statements.push(String(args[0]))
          const result = member.apply(target, args)
          return key === 'withSession' ? watched(result, statements) : result
        }
      },
    })

  it('all parameters of the events together stay within the limits of D1', async () => {
    const text = (exact: string) => ({
      exact,
      iexact: exact.toUpperCase(),
      contains: exact.slice(1, -1),
      icontains: exact.slice(1, -1).toUpperCase(),
      startswith: exact.slice(0, 3),
      istartswith: exact.slice(0, 3).toUpperCase(),
      endswith: exact.slice(-3),
      iendswith: exact.slice(-3).toUpperCase(),
      in: `${exact},other`,
      isnull: 'false',
    })
    /** Four expressions are allowed. */
    const matched = (exact: string) => ({
      ...text(exact),
      regex: `^${exact}$`,
      iregex: `^${exact.toUpperCase()}$`,
    })
    const ordered = (before: string, exact: string, after: string) => ({
      ...{ exact, lt: after, lte: exact, gt: before, gte: exact, range: `${before},${after}`, in: `${exact},${after}` },
    })
    const values: Record<string, Record<string, string>> = {
      q: { exact: 'buoy "All at once" LIGHTH*' },
      id: ordered('9998', '9999', '10000'),
      last_modified: ordered('2019-12-31T23:59:59Z', '2020-01-01T00:00:00Z', '2020-01-01T00:00:01Z'),
      category: matched('everything'),
      value: { ...matched('8.5 m'), ...ordered('8.4999', '8.5', '9'), exact: '8.5 m', in: '8.5 m,other' },
      external_id: text('buoy-9999'),
      timestamp_start: ordered('2018-02-05T00:00:00.999999Z', '2018-02-05T00:00:01Z', '2018-02-05T00:00:01.000001Z'),
      timestamp_end: ordered('2018-02-05T00:00:09.999999Z', '2018-02-05T00:00:10Z', '2018-02-05T00:00:10.000001Z'),
      duration: ordered('00:00:08', 'PT9S', '10'),
      object_type__model: text('lighthouse'),
      object_id: ordered('76', '77', '78'),
      object: { exact: 'lighthouse$77' },
      event_series: { exact: 'abad1dea-0000,abad' },
      event_series__id: { exact: '950', in: '950,951' },
      event_series__name: text('all at once'),
      event_series__observation_type: { exact: 'made', in: 'none,made' },
      event_series__access_modifier: { exact: 'Public' },
      geom_within: { exact: 'POLYGON ((0 0, 10 0, 0 10, 0 0))' },
      near: { exact: '1,2' },
      radius: { exact: '1000' },
      bbox: { exact: '1,0,10,2' },
      datetime: { exact: '2018-02-05T00:00:10Z/..' },
      latest: { exact: 'event_series' },
      attributes__place: text('harbour'),
      attributes__mag: ordered('4.4', '4.5', '4.6'),
    }
    const start = Date.UTC(2018, 1, 5, 0, 0, 1)
    await load([
      seriesOf(950, { name: 'all at once', uuid: 'abad1dea-0000-4000-8000-000000000950' }),
      eventOf(9999, {
        series: 950,
        category: 'everything',
        value: '8.5 m',
        external_id: 'buoy-9999',
        start,
        end: start + 9000,
        object: { model: 'lighthouse', id: 77 },
        attributes: { place: 'harbour', mag: 4.5 },
        coordinates: [1, 2, 0],
      }),
    ])
    const stored = 1000 * Date.UTC(2020, 0, 1) // microseconds
    await env.DB.prepare('UPDATE event SET last_modified = ? WHERE id = 9999').bind(stored).run()
    const others: Record<string, string> = {
      ...{ id: '9998', last_modified: '2020-01-02', timestamp_start: '2018-02-05', timestamp_end: '2018-02-05' },
      ...{ duration: '8', object_id: '76', object: 'lighthouse$76', event_series: 'ffff', event_series__id: '951' },
      event_series__access_modifier: 'Hidden',
    }
    const ofAttributes = (kind: string) =>
      [...(events.filters.get('attributes')?.members?.(`attributes__${kind === 'text' ? 'place' : 'mag'}`) ?? [])]
        .filter(([, parameter]) => parameter.kind === kind)
        .map(([name]) => name)
    const names = [...events.filters.keys()].filter((name) => name !== 'attributes')
    const isMatched = (name: string) => /^(category|value)__/.test(name) || !/regex$/.test(name)
    const attributes = [...ofAttributes('text'), ...ofAttributes('number')].filter(isMatched).slice(0, 20)
    const query = [...names.filter(isMatched), ...attributes].map((name) => {
      const field = Object.keys(values).findLast((field) => name === field || name.startsWith(`${field}__`)) ?? name
      if (name.endsWith(NOT)) return pair(name, others[field] ?? 'other')
      const lookup = name.slice(field.length + 2) || (field === 'event_series__name' ? 'iexact' : 'exact')
      const value = values[field]?.[lookup]
      if (value === undefined) expect.fail(`no value for ${name}`)
      return pair(name, value)
    })
    const statements: string[] = []
    const vars = { DB: watched(env.DB, statements) }
    expect(await eventIds(query.join('&'), { vars })).toEqual([9999])
    for (const statement of statements) {
      expect(statement.length).toBeLessThan(100_000)
      const [numbered, plain] = [statement.match(/\?\d+/g) ?? [], statement.match(/\?(?!\d)/g) ?? []]
      expect(new Set(numbered).size + plain.length).toBeLessThan(100)
    }
  })
})
