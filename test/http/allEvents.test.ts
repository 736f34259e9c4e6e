import { describe, expect, it } from 'vitest'
import { conditionsAsked } from '../../src/filters/filter.ts'
import { allEventsV4, events } from '../../src/lists/event.ts'
import { allOf } from '../../src/question/condition.ts'
import { printCondition } from '../question/print.ts'
import { answer, beginWithSeed, get, type Options, ORIGIN, post, seedSeries, send, withKey } from '../service.ts'

const LIST = '/api/v4/events/'
const KEYS = { 0: null, 100: 'common', 200: 'private', 300: 'hidden' } as const

const optionsOf = async (key: (typeof KEYS)[keyof typeof KEYS]): Promise<Options> => (key === null ? {} : withKey(key))
const inV4 = (query: string) => query.replace(/timestamp_(start|end)/g, '$1').replace('geom_within', 'geometry__within')

beginWithSeed()

describe('the events of all series in version 4', () => {
  it('have the members of the events of a series, and the uuid of it, at every level', async () => {
    for (const [level, key] of Object.entries(KEYS)) {
      const options = await optionsOf(key)
      for (const { id, uuid, access_modifier } of seedSeries) {
        const { count, results } = await get(`${LIST}?event_series=${uuid}&page_size=3`, options)
        const isSeen = access_modifier <= Number(level)
        const nested = isSeen
          ? await get(`/api/v4/eventseries/${uuid}/events/?page_size=3`, options)
          : { count: 0, results: [] }
        expect([id, count, results]).toEqual([
          id,
          nested.count,
          nested.results.map(({ properties, ...item }: { id: number; properties: object }) => ({
            ...item,
            properties: { ...properties, url: `${ORIGIN}${LIST}${item.id}/`, event_series: uuid },
          })),
        ])
        for (const item of results) expect(await get(`${LIST}${item.id}/`, options)).toEqual(item)
      }
    }
  })

  it('have the order of members of the events of a series', async () => {
    const [item] = (await get(`${LIST}?page_size=1`)).results
    expect(Object.keys(item.properties).join(' ')).toBe(
      'category value url start end event_series last_modified external_id object attributes',
    )
  })

  it('of a hidden series are a 404', async () => {
    const hidden = seedSeries.find(({ access_modifier }) => access_modifier === 300)
    const options = await withKey('hidden')
    const [item] = (await get(`${LIST}?event_series=${hidden?.uuid}&page_size=1`, options)).results
    for (const key of [null, 'common', 'private'] as const)
      expect((await send(`${LIST}${item.id}/`, await optionsOf(key))).status).toBe(404)
  })

  it('have the filters and orders of version 3, under the names of version 4', () => {
    expect([...allEventsV4.filters.keys()].sort()).toEqual([...events.filters.keys()].map(inV4).sort())
    expect(Object.keys(allEventsV4.orderings)).toEqual(Object.keys(events.orderings).map(inV4))
    for (const [name, { example, lookup }] of events.filters) {
      if (['attributes', 'near', 'radius'].includes(name)) continue // they have members, or need another parameter
      const asked = (read: typeof lookup | undefined) =>
        printCondition(allOf(conditionsAsked(read?.(String(example), null) ?? [])))
      expect(asked(allEventsV4.filters.get(inV4(name))?.lookup), name).toBe(asked(lookup))
    }
  })

  it.each(['geojson', 'csv', 'spreadsheet', 'ndjson', 'api'])('format=%s', async (format) => {
    const [all, nested] = await Promise.all(
      [`${LIST}?event_series=99fe5d0&`, '/api/v4/eventseries/99fe5d0/events/?'].map(async (path) => {
        const response = await send(`${path}page_size=5&format=${format}`)
        return (await response.text()).replaceAll(/eventseries\/[0-9a-f-]*\/events/g, 'events')
      }),
    )
    if (['csv', 'spreadsheet'].includes(format)) expect(all).toBe(nested)
    expect(all).toContain('tropical')
  })
})

describe('the events of all series are only read', () => {
  it('the root names the list', async () => {
    expect((await get('/api/v4/')).events).toBe(`${ORIGIN}${LIST}`)
  })

  it.each([
    [LIST, 'GET, POST, HEAD, OPTIONS'],
    [`${LIST}1/`, 'GET, HEAD, OPTIONS'],
  ])('%s allows %s', async (path, allow) => {
    for (const method of ['GET', 'HEAD', 'OPTIONS']) {
      const { status, headers } = await send(path, { method })
      expect([status, headers.get('Allow')]).toEqual([200, allow])
    }
    const { headers, vars = {} } = await withKey('all')
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const body = method === 'DELETE' ? null : '{}'
      const response = await send(path, {
        method,
        body,
        vars,
        headers: { ...headers, 'Content-Type': 'application/json' },
      })
      expect([method, response.status]).toEqual([method, path === LIST && method === 'POST' ? 415 : 405])
    }
  })

  it('a form is a long query', async () => {
    const query = 'category=hurricane&page_size=3&start__gte=2015-01-01'
    const posted = await get(LIST, post(query))
    expect(posted.results).toEqual((await get(`${LIST}?${query}`)).results)
    expect((await get(posted.next, post(query))).results).toEqual((await get(`${LIST}?${query}&page=2`)).results)
  })

  it('OPTIONS describes the queries alone', async () => {
    const { filters, parses, parameters, ordering } = await get(LIST, { method: 'OPTIONS' })
    expect(parses).toEqual(['application/x-www-form-urlencoded'])
    expect(filters).toMatchObject({ start: 'instant', event_series: 'uuid prefix', geometry__within: 'geometry' })
    expect(parameters).not.toContain('include')
    expect(ordering.slice(0, 4)).toEqual(['id', 'start', 'end', 'category'])
    expect((await get(`${LIST}1/`, { method: 'OPTIONS' })).parses).toEqual([])
  })

  it('a name of version 3 is a 400', async () => {
    expect(await answer(`${LIST}?timestamp_start__gte=2015-01-01`)).toMatchObject({
      status: 400,
      body: { timestamp_start__gte: ['Unknown parameter. Did you mean start__gte?'] },
    })
  })
})
