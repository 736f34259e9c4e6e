import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Feature, FeatureCollection, Geometry, MultiLineString, MultiPolygon, Point, Position } from 'geojson'
import polylabel from 'polylabel'
import { feature, mesh } from 'topojson-client'
import { presimplify, simplify } from 'topojson-simplify'
import type { GeometryCollection, Topology } from 'topojson-specification'

/** The world as the map reads it. Properties have a `kind`, and names have both languages and a rank. */
export type World = FeatureCollection<MultiPolygon | MultiLineString | Point>
type Countries = Topology<{ countries: GeometryCollection<{ name: string }>; land: GeometryCollection }>

/**
 * Makes the land, borders and names of countries for the map (Natural Earth). `weight` is the area that a corner adds at
 * least, in square degrees. Positions are rounded to `digits` behind the point.
 */
export function worldMap(scale: '50m' | '110m', weight: number, digits: number): string {
  const file = createRequire(import.meta.url).resolve(`world-atlas/countries-${scale}.json`)
  const world = simplify(presimplify(JSON.parse(readFileSync(file, 'utf8')) as Countries), weight)
  const polygons = feature(world, world.objects.land).features.flatMap(({ geometry }) => polygonsOf(geometry))
  const land = polygons.map((rings) => rings.filter(isNotThePole).map((ring) => closed(unrolled(ring))))
  const borders = mesh(world, world.objects.countries, (a, b) => a !== b).coordinates.map(unrolled)
  const features: World['features'] = [
    { type: 'Feature', properties: { kind: 'land' }, geometry: { type: 'MultiPolygon', coordinates: land } },
    { type: 'Feature', properties: { kind: 'border' }, geometry: { type: 'MultiLineString', coordinates: borders } },
    ...feature(world, world.objects.countries).features.flatMap(nameOf),
  ]
  const rounded = (_: string, value: unknown) => (typeof value === 'number' ? Number(value.toFixed(digits)) : value)
  return JSON.stringify({ type: 'FeatureCollection', features }, rounded)
}

/**
 * Tests that a ring is not the south pole. On the sphere the pole is a hole in Antarctica, on the plane it is a line.
 */
const isNotThePole = (ring: Position[]) => ring.some(([, y = 0]) => y > -89)

const polygonsOf = (geometry: Geometry): Position[][][] =>
  geometry.type === 'MultiPolygon' ? geometry.coordinates : geometry.type === 'Polygon' ? [geometry.coordinates] : []

/** Continues a line beyond 180 degrees. In the atlas, the line jumps from 180 to -180 degrees. */
function unrolled(line: Position[]): Position[] {
  let turn = 0
  return line.map(([x = 0, y = 0], i) => {
    const step = x - (line[i - 1]?.[0] ?? x)
    if (Math.abs(step) > 180) turn -= Math.sign(step) * 360
    return [x + turn, y]
  })
}

/** Closes the ring of Antarctica along the pole. On the plane it ends 360 degrees from its start. */
function closed(ring: Position[]): Position[] {
  const [first, last] = [ring[0] ?? [], ring.at(-1) ?? []]
  const [from = 0, to = 0] = [first[0], last[0]]
  return Math.abs(to - from) < 180 ? ring : [...ring, [to, -90], [from, -90], first]
}

const DUTCH = new Intl.DisplayNames('nl', { type: 'region', fallback: 'none' })

/** In the atlas, these islands have the number of Australia. */
const ISLANDS = 'Ashmore and Cartier Is.'

/** Returns the Dutch name of a country by its number in ISO 3166-1. Undefined without a number. */
function dutchOf({ id, properties }: Feature): string | undefined {
  if (id === undefined || properties?.name === ISLANDS) return undefined
  const { region } = new Intl.Locale(`und-${id}`)
  return region && DUTCH.of(region)
}

/** Returns the names of a country, in the middle of its widest part. Large countries have a lower rank. */
function nameOf(country: Feature): Feature<Point>[] {
  const middles = polygonsOf(country.geometry).map(([ring = []]) => middleOf(unrolled(ring)))
  const [widest] = middles.sort((a, b) => b.distance - a.distance)
  if (widest === undefined) return []
  const [x, y] = widest
  const rank = Math.round(-100 * widest.distance)
  const properties = { kind: 'name', en: country.properties?.name, nl: dutchOf(country), rank }
  return [{ type: 'Feature', properties, geometry: { type: 'Point', coordinates: [x * 2, y] } }]
}

/** Finds the position in a ring that is farthest from its line. Horizontal distance counts half: names are wide. */
const middleOf = (ring: Position[]) => polylabel([ring.map(([x = 0, y = 0]): [number, number] => [x / 2, y])], 0.01)
