import { PRODUCT } from '../base/product.ts'
import type { Query } from '../http/read.ts'
import { link, REL, ROOT, schemeLink, selfLinks, TYPE } from './links.ts'
import { about, type FixedDocument, SET } from './request.ts'
import { sizeOf, TILE_MATRIX_SETS, type TileMatrixSet } from './tileMatrix.ts'

const landing = (query: Query): object => {
  const root = query.base + ROOT
  return {
    title: PRODUCT,
    description:
      'Geo-referenced, time-stamped events and the series that group them, as features (OGC API - Features).',
    links: [
      ...selfLinks(query, TYPE.json),
      link('service-desc', TYPE.openapi, `${root}/api`, 'The description of this interface'),
      link('service-doc', TYPE.html, `${root}/api?f=html`, 'The description of this interface as a page'),
      link('conformance', TYPE.json, `${root}/conformance`, 'The conformance classes'),
      link(REL.conformance, TYPE.json, `${root}/conformance`, 'The conformance classes'),
      link('data', TYPE.json, `${root}/collections`, 'The collections'),
      link(REL.tilingSchemes, TYPE.json, `${root}/tileMatrixSets`, 'The tile matrix sets'),
    ],
  }
}

/** Part 4, which is about writing. */
const WRITING = 'ogcapi-features-4/1.0'

/** The conformance classes of this service, by specification. Each one has tests in test/ogc. */
const CLASSES: Readonly<Record<string, string>> = {
  'ogcapi-common-1/1.0': 'core',
  'ogcapi-features-1/1.0': 'core oas30 geojson html',
  'ogcapi-features-2/1.0': 'crs',
  'ogcapi-features-3/1.0': 'filter features-filter queryables queryables-query-parameters',
  // basic-spatial-operators is the name of basic-spatial-functions in drafts of CQL2. QGIS looks for it up to 3.40.7.
  'cql2/1.0': `cql2-text cql2-json basic-cql2 advanced-comparison-operators basic-spatial-functions temporal-functions
    property-property arithmetic case-insensitive-comparison basic-spatial-operators`,
  [WRITING]: 'create-replace-delete update features',
  'ogcapi-common-3/1.0': 'schemas',
  // The name of the class above in drafts. QGIS looks for this name.
  'ogcapi-features-5/1.0': 'schemas',
  // Drafts.
  'ogcapi-features-6/1.0': 'properties properties-features',
  'ogcapi-features-8/1.0': 'sortables sorting features-sorting',
  'ogcapi-tiles-1/1.0': 'core tileset tilesets-list geodata-tilesets mvt oas30',
  'tms/2.0': `tilematrixset json-tilematrixset tilematrixsetlimits json-tilematrixsetlimits tilesetmetadata
    json-tilesetmetadata`,
}

const conformance = (query: Query): object => ({
  links: selfLinks(query, TYPE.json),
  conformsTo: Object.entries(CLASSES).flatMap(([part, names]) =>
    part === WRITING && !query.engine.takesWrites
      ? []
      : names.split(/\s+/).map((name) => `http://www.opengis.net/spec/${part}/conf/${name}`),
  ),
})

/** Lists the tile matrix sets in which tiles exist. */
const tileMatrixSets = (query: Query): object => ({
  links: selfLinks(query, TYPE.json),
  tileMatrixSets: TILE_MATRIX_SETS.map((set) => ({
    id: set.id,
    title: set.title,
    uri: set.uri,
    crs: set.crs,
    links: [schemeLink(query, set)],
  })),
})

/** The width and height of a tile in pixels. The registered tile matrix sets use this size. */
const PIXELS = 256
/** The size of a pixel of a standard display, in metres. */
const PIXEL = 0.00028
/** The number of defined levels. */
const LEVELS = 25

/** Describes a tile matrix set (OGC 17-083r4). */
const tileMatrixSet = (query: Query, set: TileMatrixSet): object => ({
  id: set.id,
  title: set.title,
  uri: set.uri,
  crs: set.crs,
  orderedAxes: set.axes,
  wellKnownScaleSet: set.scales,
  tileMatrices: Array.from({ length: LEVELS }, (_, level) => {
    const [across, down] = sizeOf(set, level)
    const cellSize = set.width / (across * PIXELS)
    return {
      id: String(level),
      scaleDenominator: (cellSize * set.metres) / PIXEL,
      cellSize,
      cornerOfOrigin: 'topLeft',
      pointOfOrigin: set.origin,
      tileWidth: PIXELS,
      tileHeight: PIXELS,
      matrixWidth: across,
      matrixHeight: down,
    }
  }),
  links: selfLinks(query, TYPE.json),
})

export const DOCUMENTS: readonly FixedDocument[] = [
  { ...about('/', 'Capabilities', 'landing', 'The landing page'), make: landing },
  { ...about('/conformance', 'Capabilities', 'conformance', 'The conformance classes'), make: conformance },
  { ...about('/tileMatrixSets', 'Tiles', 'getTileMatrixSetsList', 'The tile matrix sets'), make: tileMatrixSets },
  { ...about(`/tileMatrixSets/${SET}`, 'Tiles', 'getTileMatrixSet', 'A tile matrix set'), make: tileMatrixSet },
]
