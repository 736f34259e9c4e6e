import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { FeatureCollection, MultiLineString, MultiPolygon, Position } from 'geojson'
import { feature, mesh } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'

type Countries = Topology<{ countries: GeometryCollection; land: GeometryCollection }>

/** The land and the borders between countries, to 0.01 degrees, for the map (Natural Earth at 1:50,000,000). */
export function worldMap(): FeatureCollection<MultiPolygon | MultiLineString> {
  const file = createRequire(import.meta.url).resolve('world-atlas/countries-50m.json')
  const world = JSON.parse(readFileSync(file, 'utf8')) as Countries
  const borders = mesh(world, world.objects.countries, (a, b) => a !== b)
  const land = feature(world, world.objects.land).features.flatMap(({ geometry }) =>
    geometry.type === 'MultiPolygon' ? geometry.coordinates : geometry.type === 'Polygon' ? [geometry.coordinates] : [],
  )
  const polygons = land.map((rings) => rings.map(rounded).filter((ring) => ring.length > 3)).filter(isFilled)
  const lines = borders.coordinates.map(rounded).filter((line) => line.length > 1)
  return {
    type: 'FeatureCollection',
    features: [
      { type: 'Feature', properties: { kind: 'land' }, geometry: { type: 'MultiPolygon', coordinates: polygons } },
      { type: 'Feature', properties: { kind: 'border' }, geometry: { type: 'MultiLineString', coordinates: lines } },
    ],
  }
}

const isFilled = (rings: Position[][]) => rings.length > 0

/** Positions to 0.01 degrees, without those that then repeat the one before. */
function rounded(line: Position[]): Position[] {
  const positions = line.map((position) => position.map((ordinate) => Math.round(ordinate * 100) / 100))
  return positions.filter(([x, y], i) => i === 0 || x !== positions[i - 1]?.[0] || y !== positions[i - 1]?.[1])
}
