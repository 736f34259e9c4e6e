import { describe, expect, it } from 'vitest'
import { DOWNLOADS, mediaType } from '../../src/formats/downloads.ts'
import { answer, beginWithSeed, send } from '../service.ts'
import { EVENTS } from '../store/writer.ts'

beginWithSeed()

const ITEMS = '/ogc/collections/events/items'

// The page offers these formats too: its links come from the same table, see src/web/list/downloads.tsx.
describe.each(Object.entries(DOWNLOADS))('the format %s of the table', (name, format) => {
  const type = mediaType(format.contentType)

  it('is a format of lists, and OPTIONS names it', async () => {
    expect((await send(`${EVENTS}?format=${name}&page_size=1`)).headers.get('Content-Type')).toBe(format.contentType)
    const described = await send(EVENTS, { method: 'OPTIONS' })
    expect((await described.json<{ renders: string[] }>()).renders).toContain(type)
  })

  it('is a format of features, and of one feature', async () => {
    for (const path of [ITEMS, `${ITEMS}/1`, '/ogc/collections/eventseries/items']) {
      const response = await send(`${path}?f=${name}`)
      expect([response.status, response.headers.get('Content-Type')]).toEqual([200, format.contentType])
      const file = /filename="\w+\.(\w+)"/.exec(response.headers.get('Content-Disposition') ?? '')
      expect(file?.[1] ?? 'geojson').toBe(format.extension)
    }
    expect((await send(ITEMS, { headers: { Accept: type } })).headers.get('Content-Type')).toContain(type)
  })

  it('is compressed', async () => {
    const response = await send(`${ITEMS}?f=${name}`, { headers: { 'Accept-Encoding': 'gzip' } })
    // Cloudflare compresses GeoJSON by itself.
    expect(response.headers.get('Content-Encoding')).toBe(name === 'geojson' ? null : 'gzip')
  })
})

describe('features in a format of lists', () => {
  it('are the items of the list', async () => {
    const [features, items] = await Promise.all([
      send(`${ITEMS}?f=csv&limit=3&offset=2&sortby=-timestamp_start&category=hurricane`),
      send(`${EVENTS}?format=csv&page_size=5&ordering=-timestamp_start&category=hurricane`),
    ])
    const [head, ...lines] = (await items.text()).split('\r\n')
    expect((await features.text()).split('\r\n')).toEqual([head, ...lines.slice(2)])
    expect(features.headers.get('Link')).toContain('f=csv')
    expect(features.headers.get('Content-Disposition')).toContain('events_category-hurricane.csv')
  })

  it.each([ITEMS, `${ITEMS}/1`])('%s have no other reference system', async (path) => {
    const crs = 'crs=http://www.opengis.net/def/crs/EPSG/0/3857'
    expect(await answer(`${path}?f=csv&${crs}`)).toMatchObject({
      status: 400,
      body: { errors: { crs: [expect.any(String)] } },
    })
    expect((await send(`${path}?f=json&${crs}`)).status).toBe(200)
  })
})
