import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { NOT } from '../../src/filters/filterSet.ts'
import { events } from '../../src/lists/event.ts'
import { load, post } from '../service.ts'
import { eventIds, eventOf, millisecondsOf, observationType, pair, refusal, seriesOf } from './records.ts'

const TEXTS = ['a', `${'a'.repeat(1000)}!`, 'x'.repeat(300), 'tropical storm', 'a long text'.repeat(30)]

beforeAll(() =>
  load([
    ...[observationType, seriesOf(1), seriesOf(2)],
    ...TEXTS.map((category, i) =>
      eventOf(i + 1, { category, value: category, object: { model: 'storm', id: 9 }, end: 9000 * (i % 2) }),
    ),
  ]),
)

describe('regular expressions', () => {
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
      const looked = () => eventIds(pair('category__regex', pattern))
      expect(await millisecondsOf(looked)).toBeLessThan(2000)
    },
  )
})

describe('numbers', () => {
  it('a million zeros and a letter are a 400 within 2 seconds', async () => {
    const refused = () => refusal('', post(`object_id=${'0'.repeat(1_000_000)}x`))
    expect(await millisecondsOf(refused)).toBeLessThan(2000)
  })
})

describe('limits of filters', () => {
  const lists = [
    ['category__in', 'a'],
    ['event_series__name__in', 'a'],
    ['object_type__model__in', 'storm'],
    ['object_id__in', '9'],
    ['duration__in', '00:00:09'],
    ['event_series', 'c0ffee'],
  ] as const

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
