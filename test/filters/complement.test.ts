import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NOT } from '../../src/filters/filterSet.ts'
import { LOOKUPS } from '../../src/filters/lookups.ts'
import { allEventsV4, events, eventsV4 } from '../../src/lists/event.ts'
import { MAX_PAGE_SIZE, type Resource } from '../../src/lists/resource.ts'
import { eventSeriesV3, eventSeriesV4 } from '../../src/lists/series.ts'
import { observationTypesV3 } from '../../src/lists/type.ts'
import { freshDatabase } from '../database.ts'
import { beginWithSeed, eventIds, get, type Options, publicEvents, seedSeries, send, withKey } from '../service.ts'
import { splitRows } from '../tags.ts'
import { pair, refusal } from './records.ts'

const KEYS = [null, 'common', 'private', 'hidden'] as const
const optionsOf = async (key: (typeof KEYS)[number]): Promise<Options> => (key === null ? {} : withKey(key))

const [first] = publicEvents
const uuids = seedSeries.map(({ uuid }) => uuid)
const iso = (time: number) => new Date(time).toISOString()

/** Values of each field, in any version. The first ones match some items, and the last one matches none. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  id: ['1', '5', '99999999'],
  value: [first?.value ?? '', 'none'],
  category: ['hurricane', 'tropical storm', 'none'],
  timestamp_start: [iso(first?.start ?? 0), '1800-01-01'],
  timestamp_end: [iso(first?.end ?? 0), '1800-01-01'],
  duration: ['0', 'P1D', 'P99D'],
  object_type__model: ['storm', 'none'],
  object_id: ['371', '1', '-5'],
  object: ['storm$371', 'none$1'],
  event_series: ['99fe5d0', `${uuids[0]},${uuids[1]}`, 'ffffffff'],
  event_series__id: ['5', '999'],
  event_series__name: ['ATLANTIC STORMS 2010-2020', 'none'],
  event_series__observation_type: ['wind_speed', '1', 'none'],
  event_series__access_modifier: ['Public', 'Hidden'],
  external_id: ['ak18261217', 'none'],
  last_modified: ['2018-02-07T01:42:00Z', '1800-01-01'],
  uuid: [uuids[0] ?? '', '00000000-0000-4000-8000-000000000000'],
  name: ['Atlantic storms 2010-2020', 'none'],
  access_modifier: ['Public', '300'],
  created: ['2018-02-07T01:42:00Z', '1800-01-01'],
}

/** Returns the parameters of a list that have a complement, with values. */
const parametersOf = ({ filters }: Resource) =>
  [...filters.keys()]
    .filter((name) => filters.has(`${name}${NOT}`))
    .map((name) => {
      const field = name.replace(/__(in|exact)$/, '').replace(/^(start|end)$/, 'timestamp_$1')
      const values = VALUES[field]
      if (values === undefined) throw new Error(`no values of ${field}`)
      const all =
        name.endsWith('__in') && !field.includes('observation') ? [...values, values.slice(0, 2).join()] : values
      return { name, values: name === 'event_series__observation_type__in' ? [...all, 'wind_speed,1'] : all }
    })

const RESOURCES = [events, allEventsV4, eventsV4, eventSeriesV3, eventSeriesV4, observationTypesV3]
const pathOf = ({ path }: Resource) => path.replace(':uuid', '99fe5d0')

/** Reads the count and the items of a list: ids of events, addresses of others. */
const found = async (path: string, query: string, options: Options): Promise<{ count: number; items: string[] }> => {
  const [size, fields] = path.endsWith('/events/') ? [MAX_PAGE_SIZE, 'id'] : [1000, 'url']
  const { count, results } = await get(`${path}?page_size=${size}&fields=${fields}&${query}`, options)
  return { count, items: results.map(({ id, url }: { id?: number; url?: string }) => String(url ?? id)) }
}

/** Without other filters some lists are long. This one leaves less than a page of each. */
const narrowingOf = ({ path }: Resource): string =>
  !path.endsWith('/events/') ? '' : path.includes('v3') ? 'timestamp_start__gte=2019-01-01' : 'start__gte=2019-01-01'

beginWithSeed()

describe('a complement selects exactly the items that the filter leaves out', () => {
  const all = RESOURCES.flatMap((list) =>
    parametersOf(list).map(({ name, values }) => [pathOf(list), name, values, list] as const),
  )
  // `npm test` asks for the caller who sees most, and the other tests for every level.
  for (const [options, rows] of splitRows(8, all))
    it.each(rows)('%s?%s', { ...options, timeout: 60_000 }, async (path, name, values, list) => {
      const narrowing = narrowingOf(list)
      for (const key of options.tags ? KEYS : (['hidden'] as const)) {
        const options = await optionsOf(key)
        const all = await found(path, narrowing, options)
        const { count } = await get(`${path}?page_size=1`, options)
        for (const value of values) {
          const [query, complement] = [pair(name, value), pair(`${name}${NOT}`, value)]
          const kept = await found(path, `${narrowing}&${query}`, options)
          const left = await found(path, `${narrowing}&${complement}`, options)
          expect([query, left]).toEqual([
            query,
            { count: all.count - kept.count, items: all.items.filter((item) => !kept.items.includes(item)) },
          ])
          if (value !== values[0]) continue
          const [given, others] = [query, complement].map((each) => get(`${path}?page_size=1&${each}`, options))
          expect((await given).count + (await others).count).toBe(count)
        }
      }
    })
})

describe('a complement under /ogc selects what the one of the list selects', () => {
  it.each([
    ['events', 'category__not=hurricane&timestamp_start__not=2018-02-05'],
    ['events', 'object_id__in__not=371,372&event_series__not=99fe5d0'],
    ['eventseries', 'name__not=Zomertijd Nederland'],
  ])('%s?%s', async (collection, query) => {
    for (const key of KEYS) {
      const options = await optionsOf(key)
      const version = collection === 'events' ? 'v3' : 'v4'
      const { count } = await get(`/api/${version}/${collection}/?${query}`, options)
      const path = `/ogc/collections/${collection}`
      expect((await get(`${path}/items?${query}&resultType=hits`, options)).numberMatched).toBe(count)
      expect((await get(`${path}/items?${query}&limit=1`, options)).numberMatched).toBe(count)
    }
  })

  it('and so do tiles', async () => {
    const tile = '/ogc/collections/events/tiles/WebMercatorQuad/0/0/0'
    const tiles = ['category__not=hurricane', "filter=category <> 'hurricane'"].map((query) => send(`${tile}?${query}`))
    const [tested, expected] = await Promise.all(tiles.map(async (answer) => (await answer).arrayBuffer()))
    expect(tested?.byteLength).toBeGreaterThan(0)
    expect(tested).toEqual(expected)
  })
})

describe('complements combine', () => {
  const parameters = parametersOf(events).filter(({ name }) => !name.endsWith('__exact'))
  const given = fc
    .subarray(parameters, { minLength: 2, maxLength: 4 })
    .chain((chosen) =>
      fc.tuple(
        ...chosen.map(({ name, values }) => fc.tuple(fc.constant(name), fc.constantFrom(...values), fc.boolean())),
      ),
    )
  const AREA = 'geom_within=POLYGON((-90 0,-40 0,-40 50,-90 50,-90 0))'

  for (const [options, keys] of splitRows(4, KEYS))
    it.each(keys)('with others, for %s', { ...options, timeout: 120_000 }, async (key) => {
      const options = await optionsOf(key)
      const narrowing = 'timestamp_start__gte=2014-01-01&timestamp_start__lt=2015-06-01'
      for (const [i, terms] of fc.sample(given, { seed: 11, numRuns: 12 }).entries()) {
        const base = i % 3 === 0 ? `${narrowing}&${AREA}` : narrowing
        let left = (await found('/api/v3/events/', base, options)).items
        for (const [name, value, isComplement] of terms) {
          const { items } = await found('/api/v3/events/', `${base}&${pair(name, value)}`, options)
          left = left.filter((item) => items.includes(item) !== isComplement)
        }
        const query = terms
          .map(([name, value, isComplement]) => pair(isComplement ? `${name}${NOT}` : name, value))
          .join('&')
        expect([query, await found('/api/v3/events/', `${base}&${query}`, options)]).toEqual([
          query,
          { count: left.length, items: left },
        ])
        const summary = await get(`/api/v3/events/summary/?bins=1&level=0&${base}&${query}`, options)
        expect(summary.count).toBe(left.length)
      }
    })
})

describe('a complement of 300 values', () => {
  it('selects all other ids', async () => {
    const ids = publicEvents.map(({ id }) => id).sort((a, b) => a - b)
    const given = ids.filter((_, i) => i % 2 === 0).slice(0, 300)
    expect(await eventIds(`id__in__not=${given}`)).toEqual(ids.filter((id) => !given.includes(id)))
  })

  it('combines with a range', async () => {
    const given = Array.from({ length: 300 }, (_, i) => `${(i + 1) * 7200}`)
    const lengths = publicEvents.map(({ start, end }) => (end - start) / 1000)
    const expected = lengths.filter((length) => length > 0 && !given.includes(`${length}`))
    const { count } = await get(`/api/v3/events/?duration__in__not=${given}&duration__gt=0`)
    expect(count).toBe(expected.length)
  })
})

const LOOKUP = new RegExp(`__(${Object.keys(LOOKUPS).join('|')})$`)

describe('the names of complements', () => {
  it.each(RESOURCES)('$path: each filter for one value or a list has one', ({ filters }) => {
    const names = [...filters.keys()].filter((name) => !name.endsWith(NOT))
    const plain = names.filter((name) => {
      const { kind = '', takesEmpty, beside } = filters.get(name) ?? {}
      const isBare = !names.some((other) => name.startsWith(`${other}__`) && LOOKUP.test(name))
      const isOfValues = isBare || name.endsWith('__in') || takesEmpty
      return (
        isOfValues &&
        !['geometry', 'box', 'interval', 'words', 'latest', 'attributes'].includes(kind) &&
        beside === undefined
      )
    })
    expect([...filters.keys()].filter((name) => name.endsWith(NOT))).toEqual(plain.map((name) => `${name}${NOT}`))
  })

  it('a value is read as without the complement', async () => {
    expect(await refusal('object_id__not=x')).toEqual({ object_id__not: ['Enter a whole number, such as 986.'] })
    expect(await refusal('bbox__not=1,2,3,4')).toHaveProperty('bbox__not')
    const { count } = await get('/api/v3/events/?category__not=')
    expect(count).toBe(publicEvents.length)
  })
})

describe('a complement is counted without reading its rows', () => {
  it.each(['timestamp_start__not=2018-02-05', 'duration__not=01:00:00', 'category__not=hurricane'])(
    '%s',
    async (query) => {
      const DB = freshDatabase()
      const { plan, envelope } = await get(`/api/v3/events/?${query}&page_size=3&explain=true`, {
        vars: { DB, SHOW_COST: 'true' },
      })
      const trips: readonly (readonly { readonly rows_read: number }[])[] = plan.trips
      const rows = trips.flat().reduce((sum, { rows_read }) => sum + rows_read, 0)
      expect(rows).toBeLessThan(envelope.count / 5)
    },
  )
})
