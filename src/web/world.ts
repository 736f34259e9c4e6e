import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import booleanPointInPolygon from '@turf/boolean-point-in-polygon'
import type { Feature, FeatureCollection, Geometry, MultiLineString, MultiPolygon, Point, Position } from 'geojson'
import { feature, mesh } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'

type Countries = Topology<{ countries: GeometryCollection<{ name: string }>; land: GeometryCollection }>

/**
 * Makes the land, borders and names of countries for the map (Natural Earth, 1:50,000,000). `tolerance` is the maximum
 * distance of a simplified line from the original, in degrees. Positions are rounded to it.
 */
export function worldMap(tolerance: number): FeatureCollection<MultiPolygon | MultiLineString | Point> {
  const simple = (line: Position[]) => simplified(rounded(unrolled(line), tolerance), tolerance)
  const file = createRequire(import.meta.url).resolve('world-atlas/countries-50m.json')
  const world = JSON.parse(readFileSync(file, 'utf8')) as Countries
  const borders = mesh(world, world.objects.countries, (a, b) => a !== b)
  const land = feature(world, world.objects.land).features.flatMap(({ geometry }) => polygonsOf(geometry))
  const polygons = land
    .map((rings) => rings.filter(isNotThePole).map((ring) => closed(simple(ring))))
    .map((rings) => rings.filter((ring) => ring.length > 3))
    .filter((rings) => rings.length > 0)
  const lines = borders.coordinates.map(simple).filter((line) => line.length > 1)
  return {
    type: 'FeatureCollection',
    features: [
      { type: 'Feature', properties: { kind: 'land' }, geometry: { type: 'MultiPolygon', coordinates: polygons } },
      { type: 'Feature', properties: { kind: 'border' }, geometry: { type: 'MultiLineString', coordinates: lines } },
      ...feature(world, world.objects.countries).features.flatMap(nameOf),
    ],
  }
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

/** Rounds positions to a distance in degrees, and removes repeated ones. */
function rounded(line: Position[], distance: number): Position[] {
  const positions = line.map((position) =>
    position.map((ordinate) => Number((Math.round(ordinate / distance) * distance).toFixed(2))),
  )
  return positions.filter(([x, y], i) => i === 0 || x !== positions[i - 1]?.[0] || y !== positions[i - 1]?.[1])
}

/** Removes the corners that are hardly visible (Douglas and Peucker, 1973). */
function simplified(line: Position[], tolerance: number): Position[] {
  const [first = [], last = []] = [line[0], line.at(-1)]
  const distances = line.map((position) => distanceOf(position, first, last))
  const most = Math.max(...distances)
  if (most <= tolerance) return line.length === 1 ? line : [first, last]
  const corner = distances.indexOf(most)
  return [...simplified(line.slice(0, corner + 1), tolerance), ...simplified(line.slice(corner), tolerance).slice(1)]
}

/** Returns the distance of a position from the line through two others. If these are equal, the distance from them. */
function distanceOf([x = 0, y = 0]: Position, [x1 = 0, y1 = 0]: Position, [x2 = 0, y2 = 0]: Position): number {
  const length = Math.hypot(x2 - x1, y2 - y1)
  return length === 0 ? Math.hypot(x - x1, y - y1) : Math.abs((x2 - x1) * (y1 - y) - (x1 - x) * (y2 - y1)) / length
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

/** Returns the names of a country, in the middle of its largest part. Large countries have a lower rank. */
function nameOf(country: Feature): Feature<Point>[] {
  const { geometry, properties } = country
  const rings = polygonsOf(geometry).map(([ring = []]) => unrolled(ring))
  const [largest = []] = rings.sort((a, b) => areaOf(b) - areaOf(a))
  const at = midOf(largest)
  if (at === undefined) return []
  const rank = Math.round(-100 * Math.log(areaOf(largest)))
  const coordinates = at.map((ordinate) => Math.round(ordinate * 100) / 100)
  const point = { type: 'Point' as const, coordinates }
  const told = { kind: 'name', en: properties?.name, nl: dutchOf(country), rank }
  return [{ type: 'Feature', properties: told, geometry: point }]
}

function areaOf(ring: Position[]): number {
  const twice = ring.reduce((sum, [x = 0, y = 0], i) => {
    const [nextX = 0, nextY = 0] = ring[(i + 1) % ring.length] ?? []
    return sum + x * nextY - nextX * y
  }, 0)
  return Math.abs(twice) / 2
}

/** The parts of a ring's width and height at which positions for the name of a country are tried. */
const TRIED = Array.from({ length: 23 }, (_, i) => (i + 1) / 24)

/**
 * Finds the grid position in a ring that is farthest from the corners. Horizontal distance counts half: names are wide.
 */
function midOf(ring: Position[]): Position | undefined {
  const [xs, ys] = [ring.map(([x = 0]) => x), ring.map(([, y = 0]) => y)]
  const [west, east, south, north] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  const tried = TRIED.flatMap((across) =>
    TRIED.map((up) => [west + (east - west) * across, south + (north - south) * up]),
  )
  const distanceAt = ([atX = 0, atY = 0]: Position) =>
    Math.min(...ring.map(([x = 0, y = 0]) => Math.hypot((x - atX) / 2, y - atY)))
  return tried
    .filter((at) => booleanPointInPolygon(at, { type: 'Polygon', coordinates: [ring] }))
    .map((at) => ({ at, distance: distanceAt(at) }))
    .sort((a, b) => b.distance - a.distance)[0]?.at
}
