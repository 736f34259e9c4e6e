import { beforeAll, describe, expect, it } from 'vitest'
import { random } from '../../../bench/events.ts'
import { as, eventOf, LEVELS, type Level, NAMES, seriesOf, typeOf, uuidOf } from '../../../http/writes.ts'
import { get, load } from '../../../service.ts'
import { EVENTS, outcome } from '../../../store/writer.ts'

const VALUES: readonly unknown[] = [
  5,
  '5',
  2.5,
  true,
  false,
  'Houten',
  'Zeist',
  '',
  'é',
  '😀',
  '\uffff',
  [1],
  { a: 1 },
  null,
  undefined,
]
const next = random(11)
const pick = <T>(from: readonly T[]): T => from[Math.floor(next() * from.length)] as T
const events = Array.from({ length: 400 }, (_, i) => {
  const level = Math.floor(next() * NAMES.length)
  const start = Date.UTC(2020, Math.floor(next() * 36), 1 + Math.floor(next() * 28), Math.floor(next() * 24), 30)
  const volume = next() < 0.8 ? { Volume: pick([1, 0.1, 0.2, -3, 1000, 'veel']) } : {}
  const attributes = { X: pick(VALUES), ...volume, [`only${level}`]: 1 }
  return { ...eventOf(i + 1, level + 1), category: pick(['a', 'b', 'c']), start, end: start, attributes }
})
type Event = (typeof events)[number]

beforeAll(() => load([typeOf(1), ...NAMES.map((level, i) => seriesOf(i + 1, level)), ...events]))

const seenAt = (level: Level) => events.filter(({ series }) => LEVELS[at(NAMES, series - 1)] <= LEVELS[level])
const at = <T>(list: readonly T[], i: number): T => list[i] as T
const summary = (query: string, level: Level = 'Hidden') => get(`${EVENTS}summary/?${query}`, as(level))

const RANKS = ['boolean', 'number', 'string']
const rank = (value: unknown) => (typeof value === 'object' ? 3 : RANKS.indexOf(typeof value))
const codes = (value: unknown) =>
  Array.from(typeof value === 'string' ? value : JSON.stringify(value), (character) =>
    String(character.codePointAt(0)).padStart(8, '0'),
  ).join()
const compare = (a: unknown, b: unknown): number => {
  if (rank(a) !== rank(b)) return rank(a) - rank(b)
  if (rank(a) < 2) return Number(a) - Number(b)
  return codes(a) < codes(b) ? -1 : 1
}

/** Counts by a value in the slowest way. Null is no value. */
const countsOf = (seen: readonly Event[], valueIn: (event: Event) => unknown) => {
  const groups = Map.groupBy(seen, (event) => JSON.stringify(valueIn(event) ?? null))
  const without = groups.get('null')?.length ?? 0
  groups.delete('null')
  const entries = Array.from(groups, ([value, own]) => ({ value: JSON.parse(value), count: own.length, own }))
  return { entries: entries.sort((a, b) => b.count - a.count || compare(a.value, b.value)), without }
}
const xOf = ({ attributes }: Event) => attributes.X
const plain = (entries: readonly { value: unknown; count: number }[]) =>
  entries.map(({ value, count }) => ({ value, count }))

/** Adds tenths and integers exactly. */
const statisticsOf = (own: readonly Event[]) => {
  const numbers = own.flatMap(({ attributes }) => (typeof attributes.Volume === 'number' ? [attributes.Volume] : []))
  const without = own.length - numbers.length
  if (numbers.length === 0) return { count: 0, min: null, max: null, mean: null, sum: null, without }
  return {
    count: numbers.length,
    without,
    min: Math.min(...numbers),
    max: Math.max(...numbers),
    mean: expect.closeTo(numbers.reduce((sum, number) => sum + number, 0) / numbers.length, 3),
    sum: expect.closeTo(
      numbers.reduce((sum, number) => sum + number, 0),
      1,
    ),
  }
}

describe.each(NAMES)('at the level %s', (level) => {
  const seen = seenAt(level)

  it.each<[filter: string, matches: (event: Event) => boolean]>([
    ['', () => true],
    ['&category__in=a,b', ({ category }) => category !== 'c'],
    // Only the points of the second series are in this triangle.
    ['&geom_within=POLYGON((5.05 51,5.35 51,5.2 53,5.05 51))', ({ series }) => series === 2],
  ])('counts by an attribute%s', async (filter, matches) => {
    const matching = seen.filter(matches)
    const { entries, without } = countsOf(matching, xOf)
    const { count, facets } = await summary(`facets=attributes__X,category${filter}`, level)
    expect(count).toBe(matching.length)
    expect(facets.attributes__X).toEqual({ entries: plain(entries), more: 0, without })
    expect(facets.category.entries.reduce((sum: number, each: { count: number }) => sum + each.count, 0)).toBe(count)
  })

  it('has the bins of entries with by', async () => {
    const { entries, without } = countsOf(seen, xOf)
    const { by, time } = await summary('by=attributes__X&bins=year', level)
    expect(plain(by.attributes__X.entries)).toEqual(plain(entries))
    for (const [i, { own }] of entries.entries()) {
      const years = Map.groupBy(own, ({ start }) => Date.UTC(new Date(start).getUTCFullYear()))
      const bins = Array.from(years, ([start, each]) => [start, each.length] as const).sort(([a], [b]) => a - b)
      expect(by.attributes__X.entries[i].bins).toEqual(bins)
    }
    expect(by.attributes__X.rest.count).toBe(without)
    expect(time.bins.length).toBeGreaterThan(1)
  })

  it('summarizes the numbers of an attribute, also for the entries of facets', async () => {
    const { statistics, facets, by } = await summary(
      'statistics=attributes__Volume,value&facets=category,attributes__X&by=event_series&bins=1',
      level,
    )
    const { bins, ...whole } = statistics.attributes__Volume
    expect(whole).toEqual(statisticsOf(seen))
    expect(bins).toHaveLength(1)
    expect(statistics.value.count).toBe(seen.length)
    for (const { value, statistics } of facets.category.entries)
      expect(statistics.attributes__Volume).toEqual(statisticsOf(seen.filter(({ category }) => category === value)))
    for (const { own, value } of countsOf(seen, xOf).entries) {
      const entry = facets.attributes__X.entries.find(
        (each: { value: unknown }) => JSON.stringify(each.value) === JSON.stringify(value),
      )
      expect(entry.statistics.attributes__Volume).toEqual(statisticsOf(own))
    }
    for (const { id, statistics } of by.event_series.entries) {
      const { bins, ...whole } = statistics.attributes__Volume
      expect(whole).toEqual(statisticsOf(seen.filter(({ series }) => series === id)))
      expect(bins).toHaveLength(whole.count === 0 ? 0 : 1)
    }
  })

  it('shows no attribute that only hidden events have', async () => {
    const { facets } = await summary(`facets=${NAMES.map((_, i) => `attributes__only${i}`).join()}`, level)
    const shown = NAMES.filter((_, i) => facets[`attributes__only${i}`].entries.length > 0)
    expect(shown).toEqual(NAMES.filter((name) => LEVELS[name] <= LEVELS[level]))
  })
})

describe('parts of the start', () => {
  it('may be by, and need no bins of a unit for a time zone', async () => {
    const { by } = await summary('by=timestamp_start__weekday&timezone=Europe/Amsterdam&bins=1')
    expect(by.timestamp_start__weekday.entries).toHaveLength(7)
    expect(by.timestamp_start__weekday.entries[0]).toEqual({
      value: expect.any(Number),
      count: expect.any(Number),
      bins: [expect.any(Array)],
    })
  })
})

it('pages the entries of an attribute', async () => {
  const { entries } = countsOf(events, xOf)
  const found = []
  for (let address: string | null = `${EVENTS}summary/?facets=attributes__X&facet_size=4`; address !== null; ) {
    const { facets } = await get(address, as('Hidden'))
    found.push(...facets.attributes__X.entries)
    address = facets.attributes__X.next
  }
  expect(found).toEqual(plain(entries))
})

const CATEGORY = 'category'
describe.each([CATEGORY, 'attributes__X'])('the entries of %s', (facet) => {
  type Entry = { value: unknown; count: number; statistics: Record<string, Record<string, number | null>> }
  const nameIn = (event: Event) => (facet === CATEGORY ? event.category : event.attributes.X)
  const numbersIn: Readonly<Record<string, (entry: Entry) => number | null>> = {
    count: ({ count }) => count,
    text: () => 0,
    attributes__Volume__sum: ({ statistics }) => statistics.attributes__Volume?.sum ?? null,
    attributes__Volume__count: ({ statistics }) => statistics.attributes__Volume?.count ?? null,
    value__max: ({ statistics }) => statistics.value?.max ?? null,
  }

  it.each(
    Object.entries(numbersIn).flatMap(([name, numberIn]) => ['', '-'].map((sign) => [sign + name, numberIn] as const)),
  )('come in the order of %s, in pages', async (ordering, numberIn) => {
    const way = ordering.startsWith('-') ? -1 : 1
    const found: Entry[] = []
    const query = `facets=${facet}&statistics=attributes__Volume,value&facet_size=2&facet_ordering=${ordering}`
    for (let address: string | null = `${EVENTS}summary/?${query}`; address !== null; ) {
      const { facets } = await get(address, as('Hidden'))
      found.push(...facets[facet].entries)
      address = facets[facet].next
    }
    const sorted = found.toSorted((a, b) => {
      const [one, other] = [numberIn(a), numberIn(b)]
      const byText = compare(a.value, b.value) * (ordering === '-text' ? -1 : 1)
      if (one === null || other === null) return one === other ? byText : one === null ? 1 : -1
      return (one - other) * way || byText
    })
    expect(found).toEqual(sorted)
    expect(found.map(({ value }) => JSON.stringify(value)).sort()).toEqual(
      countsOf(events, nameIn)
        .entries.map(({ value }) => JSON.stringify(value))
        .sort(),
    )
  })
})

it('orders the entries by counts that are stored', async () => {
  const ordered = async (ordering: string) => {
    const { facets } = await summary(`facets=category,event_series&facet_ordering=${ordering}`)
    return facets.category.entries.map(({ value }: { value: string }) => value)
  }
  expect([await ordered('text'), await ordered('-text')]).toEqual([
    ['a', 'b', 'c'],
    ['c', 'b', 'a'],
  ])
  expect((await ordered('count')).toReversed()).toEqual(await ordered('-count'))
})

it.each([
  ['facet_ordering=count', 'facet_ordering'],
  ['facets=category&facet_ordering=value__sum', 'facet_ordering'],
  ['facets=category&facet_ordering=value__median&statistics=value', 'facet_ordering'],
  ['facets=attributes__', 'facets'],
  ['facets=attributes__a__gte', 'facets'],
  ['facets=timestamp_start__minute', 'facets'],
  ['by=attributes__a b', 'by'],
  ['statistics=attributes__X,category', 'statistics'],
  ['timezone=Mars', 'timezone'],
])('refuses %s', async (query, parameter) => {
  const { status, body } = await outcome('GET', `${EVENTS}summary/?${query}`)
  expect([status, Object.keys(body)]).toEqual([400, [parameter]])
})

it('counts the events of one series', async () => {
  const own = events.filter(({ series }) => series === 1)
  const { facets } = await summary(`facets=attributes__X&event_series=${uuidOf(1)}`)
  expect(facets.attributes__X.entries).toEqual(plain(countsOf(own, xOf).entries))
})
