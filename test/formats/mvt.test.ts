import { VectorTile, VectorTileFeature } from '@mapbox/vector-tile'
import fc from 'fast-check'
import { PbfReader } from 'pbf'
import { describe, expect, test } from 'vitest'
import { encodeTile, type TileFeature } from '../../src/formats/mvt.ts'

/** Decodes a tile with a library of other authors. */
const decode = (layers: Parameters<typeof encodeTile>[0]) =>
  Object.entries(new VectorTile(new PbfReader(encodeTile(layers))).layers).map(([name, layer]) => ({
    name,
    version: layer.version,
    extent: layer.extent,
    features: Array.from({ length: layer.length }, (_, i) => layer.feature(i)).map((feature) => ({
      id: feature.id,
      type: VectorTileFeature.types[feature.type],
      properties: { ...feature.properties },
      geometry: feature.loadGeometry().map((ring) => ring.map(({ x, y }) => [x, y])),
    })),
  }))

const point = (id: number, x: number, y: number, properties = {}): TileFeature => ({
  id,
  shape: { point: [x, y] },
  properties,
})

describe('the decoder reads', () => {
  test('an empty tile if a layer is empty', () => {
    expect(encodeTile([{ name: 'events', features: [] }]).length).toBe(0)
  })

  test('points and cells with their properties', () => {
    const square = [
      [10, 10],
      [20, 10],
      [20, 20],
      [10, 20],
    ] as const
    const properties = {
      category: 'storm “é” 🦆𠮷\u{50000}',
      start: -1_262_304_000_000,
      end: 1_517_788_800_000,
      open: true,
      closed: false,
      part: 0.1,
      none: null,
      zero: 0,
    }
    const { none, ...there } = properties
    expect(none).toBeNull()
    expect(
      decode([
        { name: 'events', features: [point(1, -64, 4160, properties), point(2 ** 40, 0, 0)] },
        { name: 'events_cells', features: [{ id: 7, shape: { ring: square }, properties: { count: 12 } }] },
      ]),
    ).toEqual([
      {
        name: 'events',
        version: 2,
        extent: 4096,
        features: [
          { id: 1, type: 'Point', properties: there, geometry: [[[-64, 4160]]] },
          { id: 2 ** 40, type: 'Point', properties: {}, geometry: [[[0, 0]]] },
        ],
      },
      {
        name: 'events_cells',
        version: 2,
        extent: 4096,
        features: [
          {
            id: 7,
            type: 'Polygon',
            properties: { count: 12 },
            geometry: [[...square, square[0]]],
          },
        ],
      },
    ])
  })

  test('random tiles', () => {
    const value = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.boolean(),
      fc.maxSafeInteger().map((n) => Math.trunc(n / 2)),
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => n + 0),
    )
    const feature = fc.record({
      id: fc.maxSafeNat(),
      properties: fc.dictionary(
        fc.string({ minLength: 1 }).filter((name) => name !== '__proto__'),
        value,
        { noNullPrototype: true },
      ),
      shape: fc.record({
        point: fc.tuple(fc.integer({ min: -5000, max: 5000 }), fc.integer({ min: -5000, max: 5000 })),
      }),
    })
    fc.assert(
      fc.property(fc.array(feature, { minLength: 1, maxLength: 30 }), (features) => {
        const [layer] = decode([{ name: 'events', features }])
        expect(layer?.features).toEqual(
          features.map(({ id, properties, shape }) => ({ id, type: 'Point', properties, geometry: [[shape.point]] })),
        )
      }),
      { seed: 4, numRuns: 200 },
    )
  })
})
