import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { describe, expect, it } from 'vitest'
import { WEB_MERCATOR } from '../../src/ogc/tileMatrix.ts'
import { eventOf, seriesOf, typeOf, uuidOf } from '../http/writes.ts'
import { type Send, servicesWith } from '../oracle/oracle.ts'
import { tileAt } from './places.ts'

const LONG = `12 ${'é'.repeat(9_000)}`
const VALUES = ['28.4', '', '<10', LONG, '7']
const fields = [
  { name: 'category', title: 'Cause', type: 'string' as const },
  { name: 'value', title: 'Volume', unit: 'm³', type: 'string' as const },
]
const metadata = { ...{ source: null, source_url: null, license: null, contact: null, more: false }, fields }

const engines = servicesWith([
  typeOf(1),
  { ...seriesOf(1, 'Public'), metadata },
  seriesOf(2, 'Public'),
  ...VALUES.map((value, i) => ({ ...eventOf(i + 1, 1), value, attributes: { n: i, text: 'x'.repeat(3000) } })),
  eventOf(11, 2),
])

const tilesOf = (collection: string) => `/ogc/collections/${collection}/tiles/WebMercatorQuad`

const pointsOf = async (send: Send, collection: string) => {
  const { row, column } = tileAt(WEB_MERCATOR, 9, 5.1, 52)
  const answer = await send(`${tilesOf(collection)}/9/${row}/${column}`)
  const { layers } = new VectorTile(new PbfReader(new Uint8Array(await answer.arrayBuffer())))
  return Array.from({ length: layers.events?.length ?? 0 }, (_, i) => layers.events?.feature(i).properties)
}

describe.each(engines)('tiles over %s', (_, send) => {
  it('show the value, its number and the columns of a series', async () => {
    const points = await pointsOf(send, `events-${uuidOf(1)}`)
    expect(points.map((point) => [point?.value, point?.value_number, point?.n])).toEqual([
      ['28.4', 28.4, 0],
      ['', undefined, 1],
      ['<10', undefined, 2],
      [LONG.slice(0, 300), 12, 3],
      ['7', 7, 4],
    ])
  })

  it('show both for a series without columns', async () => {
    const [point] = await pointsOf(send, `events-${uuidOf(2)}`)
    expect(point).toMatchObject({ value: '1', value_number: 1 })
  })

  it('show neither for all events', async () => {
    const points = await pointsOf(send, 'events')
    expect(points).toHaveLength(VALUES.length + 1)
    for (const point of points) expect(Object.keys(point ?? {})).not.toContain('value')
  })

  it('have the titles of the description in tilejson', async () => {
    const answer = await send(`${tilesOf(`events-${uuidOf(1)}`)}/tilejson.json`)
    const { vector_layers } = await answer.json<{ vector_layers: { fields: object }[] }>()
    expect(vector_layers[0]?.fields).toEqual({
      ...{ category: 'Cause', value: 'Volume', value_number: 'Volume (number)', n: 'n', text: 'text' },
      ...{ event_series: 'Series', color: 'Colour of the series', start: expect.any(String), end: expect.any(String) },
    })
  })
})
