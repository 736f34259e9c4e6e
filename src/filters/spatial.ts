import { boundedMap } from '../base/collections.ts'
import { valueError } from '../base/errors.ts'
import { listOf, NUMBER, type Schema } from '../base/schema.ts'
import { type Bbox, bboxFrom, type LonLat } from '../geometry/bbox.ts'
import { MAX_RADIUS } from '../geometry/circle.ts'
import { zeroIfNear } from '../geometry/geometry.ts'
import { parseGeometry } from '../geometry/parse.ts'
import type { Area, Condition } from '../question/condition.ts'
import { bare, type FilterType } from './filter.ts'
import { checkText, encodeValue } from './lookups.ts'
import { wholeNumber } from './numbers.ts'

/**
 * A filter for places within a geometry, like ST_Within of PostGIS. The value is WKT, HEXEWKB, WKB or GeoJSON (see
 * geometry/parse.ts).
 */
export const inFeature: FilterType = {
  kind: 'geometry',
  schema: {
    type: 'string',
    description: 'A geometry as (E)WKT, hexadecimal or base64 (E)WKB, or GeoJSON, in longitude and latitude.',
  },
  asks: 'is within this geometry, not on its boundary',
  bare: 'exact',
  lookups: {
    exact: (value) => inArea(areaOf(value, () => ({ within: parseGeometry(encodeValue(value)), closed: false }))),
  },
}

const inArea = (area: Area): Condition => ({ kind: 'area', of: 'point', area })

/** The most characters of all geometries in memory. Their areas take about ten times as many bytes. */
const MAX_TEXT = 1_000_000
/** A short text counts as so many characters, because each area takes some memory. */
const LEAST_TEXT = 2_000
const areas = boundedMap<Area>(MAX_TEXT)

/** Returns the area of a text. An equal text gets the same area, so an engine prepares it once. */
const areaOf = (text: string, make: () => Area): Area => {
  const area = areas.get(text) ?? make()
  areas.set(text, area, Math.max(text.length, LEAST_TEXT))
  return area
}

/** The schema of four numbers, or of six with heights. */
export const BOUNDS: Schema = { ...listOf(NUMBER, 4, 6), not: { minItems: 5, maxItems: 5 } }

/** A filter for places in a box, its sides included, like `bbox` of OGC API - Features. */
export const inBox: FilterType = {
  ...bare('box', BOUNDS, (value) => inArea(areaOf(`box ${value}`, () => ({ box: boundsOf(value), closed: true })))),
  asks: 'is in this box or on its edge: west, south, east and north. If west is greater than east, the box crosses 180 degrees',
}

/** A filter for rectangles that share a point with a box. */
export const sharesBox: FilterType = {
  ...bare('box', BOUNDS, (value) => ({ kind: 'area', of: 'rectangle', area: { box: boundsOf(value), closed: true } })),
  asks: 'shares a point with this box: west, south, east and north. If west is greater than east, the box crosses 180 degrees',
}

/** A box with heights has so many numbers. */
const MAX_BOUNDS = 6

/**
 * Parses a comma list of four numbers into west, south, east and north, or of six numbers with heights. `plane`: any
 * two opposite corners are valid, because there are no 180 degrees to cross.
 */
export const boundsOf = (value: string, plane = false): Bbox => {
  const numbers = value.split(',', MAX_BOUNDS + 1).map((text) => zeroIfNear(wholeNumber(text) ?? Number.NaN))
  const bounds = bboxFrom(numbers)
  if (bounds === null || !numbers.every(Number.isFinite)) throw valueError(['box'])
  const [west, south, east, north] = bounds
  if (plane) return [Math.min(west, east), Math.min(south, north), Math.max(west, east), Math.max(south, north)]
  if (south > north) throw valueError(['boxUpsideDown'])
  return bounds
}

export const EXAMPLE = 'near=5.1,52.1&radius=10000'

/** Returns the position of `near`, or null for another text. */
export const placeOf = (text: string): LonLat | null => {
  const [x, y, ...others] = text.split(',', 3).map((each) => wholeNumber(each) ?? Number.NaN)
  const isPlace = x !== undefined && y !== undefined && Math.abs(x) <= 180 && Math.abs(y) <= 90
  return isPlace && others.length === 0 ? [x, y] : null
}

/** A filter for places at most `radius` metres from a position, on the WGS84 ellipsoid. */
export const near: FilterType = {
  ...bare('position', listOf(NUMBER, 2), (text, _, other = '') => {
    const centre = placeOf(text)
    if (centre === null) throw valueError(['position', EXAMPLE])
    if (other === '') throw valueError(['noRadius', EXAMPLE])
    const radius = radiusOf(checkText(other))
    // The parameter radius reports its own mistake.
    if (radius === null) return []
    return inArea(areaOf(`near ${centre} ${radius}`, () => ({ circle: centre, metres: radius })))
  }),
  asks: 'is at most radius metres from this longitude and latitude, along the WGS84 ellipsoid',
  beside: 'radius',
}

/** The distance of `near`, in metres. */
export const radius: FilterType = {
  ...bare('metres', { type: 'number', exclusiveMinimum: 0, maximum: MAX_RADIUS }, (text, _, other = '') => {
    if (radiusOf(text) === null) throw valueError(['metres', MAX_RADIUS, EXAMPLE])
    if (other === '') throw valueError(['noPosition', EXAMPLE])
    return []
  }),
  asks: 'is at most this many metres from the position of near',
  beside: 'near',
}

/** Returns a valid radius in metres, or null. */
const radiusOf = (text: string): number | null => {
  const metres = wholeNumber(text) ?? Number.NaN
  return metres > 0 && metres <= MAX_RADIUS ? metres : null
}
