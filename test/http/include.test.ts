import { describe, expect, it } from 'vitest'
import { ACCESS_LEVELS } from '../../src/base/access.ts'
import { answer, beginWithSeed, get, ORIGIN, seedEvents, seedSeries, send, unhinted, walk } from '../service.ts'
import { splitRows } from '../tags.ts'

beginWithSeed()

const EVENTS = '/api/v3/events/'
const INCLUDE = 'include=series'

describe('include=series adds every series of a page once', () => {
  for (const [options, levels] of splitRows(3, Object.keys(ACCESS_LEVELS) as (keyof typeof ACCESS_LEVELS)[]))
    it.each(levels)('with ANONYMOUS_LEVEL %s', options, async (level) => {
      const options = { vars: { ANONYMOUS_LEVEL: level } }
      const period = 'timestamp_start__gte=2016-01-01&page_size=1000&ordering=-timestamp_start'
      const seen = seedSeries.filter(({ access_modifier }) => access_modifier <= ACCESS_LEVELS[level])
      const [pages, plain, listed] = await Promise.all([
        walk(`${EVENTS}?${INCLUDE}&${period}`, options),
        walk(`${EVENTS}?${period}`, options),
        get('/api/v3/eventseries/?page_size=100', options),
      ])
      const idsOf = ({ results }: { results: { properties: { event_series: number } }[] }) =>
        [...new Set(results.map(({ properties }) => properties.event_series))].sort((a, b) => a - b)
      for (const [i, { series, next, previous, ...page }] of pages.entries()) {
        expect(page).toEqual({ count: plain[i].count, results: plain[i].results })
        expect(series).toEqual(
          idsOf(page).map((id) => {
            const at = seen.findIndex((each) => each.id === id)
            return { id, uuid: seen[at]?.uuid, ...listed.results[at] }
          }),
        )
      }
      expect(pages.flatMap(({ results }) => results)).toHaveLength(
        seedEvents.filter(({ series, start }) => seen.some(({ id }) => id === series) && start >= Date.UTC(2016, 0))
          .length,
      )
    })
})

it.each([
  [`${EVENTS}?${INCLUDE}&category=none`, { count: 0, next: null, previous: null, results: [], series: [] }],
  [
    `${EVENTS}?${INCLUDE}&id=1708&format=api`,
    {
      count: 1,
      next: null,
      previous: null,
      results: [expect.objectContaining({ id: 1708 })],
      series: [
        expect.objectContaining({
          id: 5,
          uuid: '99fe5d03-893d-5b20-8244-b9189db33e37',
          url: `${ORIGIN}/api/v3/eventseries/99fe5d03-893d-5b20-8244-b9189db33e37/?format=api`,
          observation_type: `${ORIGIN}/api/v3/observationtypes/2/?format=api`,
        }),
      ],
    },
  ],
])('%s has its series', async (path, expected) => {
  expect(unhinted(await get(path))).toEqual(expected)
})

it.each([
  [`${EVENTS}?include=nothing`, ['Enter series.']],
  [`${EVENTS}?${INCLUDE}&format=csv`, ['Only format=json and format=api accept this parameter. Leave it out.']],
  [`/api/v3/eventseries/?${INCLUDE}`, ['Enter metadata.']],
  [`/api/v3/observationtypes/?${INCLUDE}`, ['Unknown parameter.']],
])('%s is a 400', async (path, include) => {
  expect(await answer(path)).toEqual({ status: 400, body: { include } })
})

it('a summary ignores include', async () => {
  expect(await get(`${EVENTS}summary/?${INCLUDE}`)).toEqual(await get(`${EVENTS}summary/`))
})

describe('include=metadata adds the description of each series of a page', () => {
  it.each(['/api/v3/eventseries/', '/api/v4/eventseries/'])('at %s', async (path) => {
    const { results, metadata } = await get(`${path}?include=metadata&page_size=3`)
    expect(metadata).toHaveLength(results.length)
    for (const { uuid, ...described } of metadata)
      expect(described).toEqual(await get(`/api/v4/eventseries/${uuid}/metadata/`))
    expect((await send(`${path}?include=metadata&format=csv`)).status).toBe(400)
  })
})
