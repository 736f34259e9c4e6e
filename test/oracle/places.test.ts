import { Geodesic } from 'geographiclib-geodesic'
import type { LonLat } from '../../src/geometry/bbox.ts'
import { type Row, testMany, testRows } from './oracle.ts'
import { event, FOUNDATION, series } from './world.ts'

// Boxes, areas and circles, of points and of the rectangles of series: on sides and corners, across 180 degrees, at a pole
// and in the south-western cell.

/** West, south, east and north of the series 11 to 17. The last one has no event. */
const RECTANGLES: readonly (readonly [number, number, number, number] | null)[] = [
  [3, 50, 8, 54],
  [8, 54, 8, 54],
  [-180, -10, -170, 10],
  [170, -10, 180, 10],
  [-180, -90, 180, 90],
  [-60.5, 20, -60, 20.000000000000004],
  null,
]
const START = '2020-01-01'
const at = (id: number, place: LonLat | null, owner = 1) =>
  event(id, START, { series: owner, coordinates: place && [place[0], place[1], 0] })

/** Events 1 to 20: a grid, its edges, and places that are special. */
const PLACES: readonly (LonLat | null)[] = [
  ...([
    [0, 0],
    [1, 1],
    [2, 2],
    [3, 3],
    [2, 0],
    [0, 2],
    [1, 0],
    [2.5, 2.5],
  ] as const), // 1 to 8
  ...([
    [180, 0],
    [-180, 5],
    [-170, -80],
    [170, 10],
    [-120, 10],
    [175, 89.9],
    [-180, -90],
    [0, 90],
  ] as const), // 9 to 16
  ...([
    [60, -60],
    [61, -60],
    [60.5, -59.5],
  ] as const), // 17 to 19
  null, // 20
]

const CENTRES: readonly LonLat[] = [
  [5.1, 52.1],
  [179.9999, -17],
  [-180, 66],
  [12, 90],
  [0, -89.9],
]
const RADII = [8, 10_000, 900_000, 19_000_000]
/** Metres. Distances from a circle: close to the margins of the tests, and far from them. */
const OFFSETS = [1e-9, 0.009_99, 0.010_01, 7].flatMap((metres) => [metres, -metres])
/** Places on both sides of each circle, in metres from it. */
const circles = CENTRES.flatMap((centre) => RADII.map((radius) => [centre, radius] as const))
const around = circles.flatMap(([[x, y], radius]) =>
  [0, radius, ...OFFSETS.map((offset) => radius + offset)].map((metres, i): LonLat => {
    const { lon2 = 0, lat2 = 0 } = Geodesic.WGS84.Direct(y, x, 31 * i, metres)
    return [lon2, lat2]
  }),
)
const FIRST_AROUND = 1001

/** Points at every half of a degree, where the corners of the odd geometries lie, and around 180 degrees. */
const GRID = [-180, -178, -176.5, 0, 1, 2, 3, 4, 5, 6, 178, 180].flatMap((x) =>
  Array.from({ length: 26 }, (_, i): LonLat => [Math.min(180, x + (i % 2) / 2), Math.floor(i / 2) / 2]),
)
const FIRST_OF_GRID = 2001

const RECORDS = [
  ...FOUNDATION,
  ...RECTANGLES.map((_, i) => series(11 + i, `boxed ${i}`, i === 1 ? 100 : 0)),
  series(2, 'Around', 0),
  ...PLACES.map((place, i) => at(i + 1, place)),
  ...RECTANGLES.flatMap((each, i) =>
    each === null ? [] : [at(100 + 2 * i, [each[0], each[1]], 11 + i), at(101 + 2 * i, [each[2], each[3]], 11 + i)],
  ),
  ...around.map((place, i) => at(FIRST_AROUND + i, place, 2)),
  ...GRID.map((place, i) => at(FIRST_OF_GRID + i, place, 2)),
]

const row = (asks: string, ...finds: readonly number[]): Row => ({ asks: `id__lt=100&${asks}`, finds })
const within = (area: string, ...finds: readonly number[]) => row(`geometry__within=${area}`, ...finds)
const filter = (text: string, ...finds: readonly number[]): Row => ({
  asks: `/ogc/collections/events/items?limit=100&id__lt=100&filter=${text}`,
  finds,
})
const boxed = (box: string, ...finds: readonly number[]): Row => ({
  asks: `/api/v4/eventseries/?name__startswith=boxed&bbox=${box}`,
  finds,
})
const PLACED = PLACES.flatMap((place, i) => (place === null ? [] : [i + 1]))
const SQUARE = 'POLYGON((0 0,2 0,2 2,0 2,0 0))'

const BOXES: readonly Row[] = [
  row('bbox=0,0,2,2', 1, 2, 3, 5, 6, 7),
  row('bbox=0,0,-5,2,2,1000', 1, 2, 3, 5, 6, 7),
  row('bbox=5e-324,9e-101,1,1', 1, 2, 7),
  row('bbox=-180,-90,180,90', ...PLACED),
  row('bbox=170,-90,-150,90', 9, 10, 11, 12, 14, 15),
  row('bbox=170,-90,210,90', 9, 10, 11, 12, 14, 15),
  row('bbox=175,-90,180,90', 9, 14),
  row('bbox=2,-90,2,90', 3, 5),
  row('bbox=-180,-90,-180,-90', 15),
  row('bbox=0,0,2,2&geometry__within=POLYGON((-1 -1,3 -1,3 3,-1 -1))', 5, 7),
  row('bbox=0,0,2,2&id__not=1&category=flood', 2, 3, 5, 6, 7),
  boxed('3,50,8,54', 11, 15),
  { ...boxed('3,50,8,54', 11, 12, 15), level: 'Common' },
  boxed('8.000000000000002,54,9,55', 15),
  boxed('-60,20.000000000000004,0,30', 15, 16),
  boxed('0,0,5,1,1,9', 15),
  boxed('180,0,180,0', 14, 15),
  boxed('170,-90,-170,90', 13, 14, 15),
  boxed('175,0,185,5', 13, 14, 15),
  boxed('-185,0,-181,5', 14, 15),
  boxed('9,-90,-61,90', 13, 14, 15),
  boxed('-180,-90,180,90', 11, 13, 14, 15, 16),
  boxed('-190,60,190,61', 15),
  { asks: '/api/v3/eventseries/?bbox=3,50,3,50&name__startswith=boxed', finds: [11, 15] },
]

const AREAS: readonly Row[] = [
  within(SQUARE, 2),
  within('POLYGON((0 0,2 0,2 2,0 2,0 0),(0.5 0.5,1.5 0.5,1.5 1.5,0.5 0.5))'),
  within('POINT (60 -60)', 17),
  within('POINT (60 -60.0000000001)'),
  within('POINT (5e-324 0)', 1),
  within('LINESTRING (-9e-101 -1, 0 1)', 1),
  within('POLYGON ((5e-324 -1, 1 0, 5e-324 1, 5e-324 -1))'),
  within('MULTIPOINT ((60 -60), (62 -60), (0 0))', 1, 17),
  within('LINESTRING (60 -60, 61 -60)'),
  within('LINESTRING (0 0, 3 3)', 2, 3, 8),
  within('LINESTRING (60 -60, 60 -59, 61 -60, 60 -60)', 17, 18, 19),
  within('MULTILINESTRING ((0 0, 1 1), (1 1, 2 2))', 2),
  within('MULTILINESTRING ((0 0, 1 1), (1 1, 2 2), (1 1, 1 -10))', 7),
  within('MULTIPOLYGON (((-1 -1, 1 -1, 1 1, -1 -1)), ((1.5 -1, 3 -1, 3 1, 1.5 -1)))'),
  within('GEOMETRYCOLLECTION (POINT (60 -60), LINESTRING (61 -61, 61 -59))', 17, 18),
  within(`GEOMETRYCOLLECTION (${SQUARE}, POINT (0 0))`, 2),
  within(`GEOMETRYCOLLECTION (${SQUARE}, GEOMETRYCOLLECTION (POINT (60 -60)))`, 2, 17),
  ...['POINT EMPTY', 'POLYGON EMPTY', 'GEOMETRYCOLLECTION EMPTY', 'SRID=4326;POLYGON EMPTY'].map((area) =>
    within(area),
  ),
  ...['{"type":"Point","coordinates":[]}', '{"type":"FeatureCollection","features":[]}'].map((area) => within(area)),
  within('POLYGON((170 -90,190 -90,190 90,170 90,170 -90))', 9, 10, 14),
  within('POLYGON((-190 -90,-170 -90,-170 90,-190 90,-190 -90))', 9, 10, 14),
  within('POLYGON((170 -90,180 -90,180 90,170 90,170 -90))', 14),
  within('POLYGON((-190 -91,190 -91,190 91,-190 91,-190 -91))', ...PLACED),
  within('', ...PLACES.map((_, i) => i + 1)),
]

const FILTERS: readonly Row[] = [
  filter('S_INTERSECTS(geom, BBOX(0, 0, 2, 2))', 1, 2, 3, 5, 6, 7),
  filter('S_WITHIN(geom, BBOX(0, 0, 2, 2))', 2),
  filter('S_CONTAINS(BBOX(0, 0, 2, 2), geom)', 2),
  filter('S_WITHIN(geom, BBOX(170, 4, -170, 20))', 10),
  filter('S_WITHIN(geom, BBOX(170, 5, -170, 20))'),
  filter(`S_TOUCHES(geom, ${SQUARE})`, 1, 3, 5, 6, 7),
  filter(`S_DISJOINT(geom, ${SQUARE})`, 4, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19),
  filter(`NOT S_INTERSECTS(geom, ${SQUARE})`, 4, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19),
  filter('S_INTERSECTS(geom, BBOX(170, -90, -120, 90))', 9, 10, 11, 12, 13, 14, 15),
  filter('S_EQUALS(geom, POINT(0 5e-324))', 1),
  filter('S_INTERSECTS(geom, BBOX(5e-324, 9e-101, 1, 1))', 1, 2, 7),
  filter('S_EQUALS(geom, POINT(2 2))', 3),
  filter('S_CONTAINS(geom, MULTIPOINT(2 2, 2 2))', 3),
  filter('S_CROSSES(geom, LINESTRING(0 0, 3 3))'),
  filter('S_INTERSECTS(geom, LINESTRING(0 0, 3 3))', 1, 2, 3, 4, 8),
  filter('S_WITHIN(geom, LINESTRING(0 0, 3 3))', 2, 3, 8),
  filter('geom IS NULL', 20),
  filter('geom IS NOT NULL AND id > 15', 16, 17, 18, 19),
  filter('S_INTERSECTS(geom, BBOX(0, 0, 2, 2)) AND S_INTERSECTS(geom, POLYGON((1 -1,4 -1,4 4,1 -1)))', 5),
  filter('S_INTERSECTS(geom, BBOX(0, 0, 1, 1)) OR S_INTERSECTS(geom, POLYGON((2 2,3 2,3 3,2 2)))', 1, 2, 3, 4, 7, 8),
  filter('S_INTERSECTS(geom, BBOX(0, 0, 1, 1)) OR id = 20', 1, 2, 7, 20),
  filter('S_DISJOINT(geom, BBOX(-180, -90, 179, 90)) OR id < 0', 9),
  filter('NOT (S_WITHIN(geom, BBOX(0, 0, 2, 2)) OR id > 3)', 1, 3),
  filter(
    '(S_INTERSECTS(geom, BBOX(0, 0, 2, 2)) AND id > 3) = (id < 7)',
    5,
    6,
    8,
    9,
    10,
    11,
    12,
    13,
    14,
    15,
    16,
    17,
    18,
    19,
  ),
]

/** Geometries that PostGIS refuses or tests otherwise, or that are no polygons. */
const ODD = [
  'POLYGON ((0 0,4 4,4 0,0 4,0 0))',
  'POLYGON ((0 0,6 0,6 6,0 6,0 0),(0 0,3 1,1 3,0 0))',
  'POLYGON ((0 0,6 0,6 6,3 6,3 8,3 6,0 6,0 0))',
  'MULTIPOLYGON (((0 0,3 0,3 3,0 3,0 0)),((3 0,6 0,6 3,3 3,3 0)))',
  'MULTIPOLYGON (((0 0,4 0,4 4,0 4,0 0)),((2 2,6 2,6 6,2 6,2 2)))',
  'GEOMETRYCOLLECTION (POLYGON ((0 0,3 0,3 3,0 3,0 0)),POLYGON ((2 2,6 2,6 6,2 6,2 2)))',
  'GEOMETRYCOLLECTION (POLYGON ((0 0,3 0,3 3,0 3,0 0)),LINESTRING (3 0,6 3),POINT (2.5 2.5))',
  'MULTILINESTRING ((0 0,3 3),(3 3,6 6),(0 6,6 0))',
  'POLYGON ((176 0,186 0,186 6,176 6,176 0))',
  'POLYGON ((-186 0,-176 0,-176 6,-186 6,-186 0))',
]

/** Under /ogc, a box has the features without a place as well. */
const feature = (asks: string, ...finds: readonly number[]): Row => ({
  asks: `/ogc/collections/events/items?limit=100&id__lt=100&${asks}`,
  finds,
})
const MERCATOR = 'http://www.opengis.net/def/crs/EPSG/0/3857'
const FEATURES: readonly Row[] = [
  feature('bbox=0,0,2,2', 1, 2, 3, 5, 6, 7, 20),
  feature('bbox=0,0,0,2,2,0', 1, 2, 3, 5, 6, 7, 20),
  feature('bbox=170,-90,-150,90', 9, 10, 11, 12, 14, 15, 20),
  feature('bbox=-180,-90,180,90', ...PLACES.map((_, i) => i + 1)),
  feature(`bbox=-1,-1,222640,222685&bbox-crs=${MERCATOR}`, 1, 2, 3, 5, 6, 7, 20),
  feature(`filter=S_INTERSECTS(geom,BBOX(-1,-1,222640,222685))&filter-crs=${MERCATOR}`, 1, 2, 3, 5, 6, 7),
  feature('bbox=0,0,2,2&filter=S_INTERSECTS(geom, POLYGON((1 -1,4 -1,4 4,1 -1)))', 5),
  feature('bbox=0,0,2,2&geom_within=POLYGON((0.5 -1,4 -1,4 4,0.5 -1))', 5),
  { asks: '/ogc/collections/eventseries/items?bbox=3,50,8,54&name__startswith=boxed', finds: [11, 15, 17] },
]

/** The Worker first finds the events of an area under OR or NOT. */
const [INTERSECTS, WITHIN] = [
  'S_INTERSECTS(geom,POLYGON((0 0,2 0,2 2,0 0)))',
  'S_WITHIN(geom,POLYGON((0 -1,4 -1,4 4,0 -1)))',
]
const SEVERAL: readonly Row[] = [
  filter(`${INTERSECTS} OR id = 20`, 1, 2, 3, 5, 7, 20),
  filter(`${INTERSECTS} OR ${WITHIN} OR id < 2`, 1, 2, 3, 5, 7),
  filter(`NOT (${INTERSECTS} OR id < 17)`, 17, 18, 19),
  filter(`NOT (${WITHIN} AND category = 'flood') AND id > 17`, 18, 19),
  filter(`NOT (${WITHIN} AND category = 'none') AND id > 17`, 18, 19, 20),
  filter(
    `(S_DISJOINT(geom,POLYGON((-170 -89,170 -89,170 89,-170 -89))) OR id = 20) AND id > 8`,
    9,
    10,
    11,
    13,
    14,
    15,
    16,
    20,
  ),
  filter(`(${INTERSECTS} OR ${WITHIN}) AND (${INTERSECTS} OR id = 4)`, 1, 2, 3, 5, 7),
  filter(`${INTERSECTS} = (id > 4) AND id < 9`, 4, 5, 7),
  filter('S_TOUCHES(geom, POLYGON((0 0,2 0,2 2,0 0))) OR id = 20', 1, 2, 3, 5, 7, 20),
]

const engines = testRows(RECORDS, {
  'a box': BOXES,
  'features in a box': FEATURES,
  'several areas': SEVERAL,
  'an area': AREAS,
  'a filter of CQL2': FILTERS,
})

const inGrid = (test: string): Row => ({
  asks: `/ogc/collections/events/items?limit=1000&id__gte=${FIRST_OF_GRID}&filter=${test}`,
})
testMany(
  'each odd geometry',
  3,
  engines,
  ODD.flatMap((area) =>
    ['S_WITHIN', 'S_INTERSECTS', 'NOT S_INTERSECTS', 'S_TOUCHES'].map((test) => inGrid(`${test}(geom,${area})`)),
  ),
)

const near = (centre: LonLat, radius: number) => `id__range=1,${FIRST_OF_GRID - 1}&near=${centre}&radius=${radius}`
testMany(
  'each circle',
  5,
  engines,
  circles.flatMap(([centre, radius]) =>
    ['', '&category__not=flood', '&ordering=distance', '&ordering=-distance', '&bbox=-180,-90,90,90'].map((more) => ({
      asks: near(centre, radius) + more,
    })),
  ),
)
