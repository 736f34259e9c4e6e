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
  const polygons = land
    .map((rings) => rings.filter(isNotThePole).map((ring) => closed(rounded(unrolled(ring)))))
    .map((rings) => rings.filter((ring) => ring.length > 3))
    .filter(isFilled)
  const lines = borders.coordinates.map((line) => rounded(unrolled(line))).filter((line) => line.length > 1)
  return {
    type: 'FeatureCollection',
    features: [
      { type: 'Feature', properties: { kind: 'land' }, geometry: { type: 'MultiPolygon', coordinates: polygons } },
      { type: 'Feature', properties: { kind: 'border' }, geometry: { type: 'MultiLineString', coordinates: lines } },
    ],
  }
}

/** On a sphere the pole is a hole in Antarctica, on the plane a line along its edge. */
const isNotThePole = (ring: Position[]) => ring.some(([, y = 0]) => y > -89)

const isFilled = (rings: Position[][]) => rings.length > 0

/** The atlas is of a sphere: what crosses 180 degrees jumps to -180 there. On the plane it goes on beyond. */
function unrolled(line: Position[]): Position[] {
  let turn = 0
  return line.map(([x = 0, y = 0], i) => {
    const step = x - (line[i - 1]?.[0] ?? x)
    if (Math.abs(step) > 180) turn -= Math.sign(step) * 360
    return [x + turn, y]
  })
}

/** A ring around the pole, Antarctica's, ends where it began but for a whole turn: it is closed along the pole. */
function closed(ring: Position[]): Position[] {
  const [first, last] = [ring[0] ?? [], ring.at(-1) ?? []]
  const [from = 0, to = 0] = [first[0], last[0]]
  return Math.abs(to - from) < 180 ? ring : [...ring, [to, -90], [from, -90], first]
}

/** Positions to 0.01 degrees, without those that then repeat the one before. */
function rounded(line: Position[]): Position[] {
  const positions = line.map((position) => position.map((ordinate) => Math.round(ordinate * 100) / 100))
  return positions.filter(([x, y], i) => i === 0 || x !== positions[i - 1]?.[0] || y !== positions[i - 1]?.[1])
}
