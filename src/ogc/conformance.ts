const FEATURES = ['core', 'oas30', 'geojson', 'html']
const FILTER = ['filter', 'features-filter', 'queryables', 'queryables-query-parameters']
const EDITING = ['create-replace-delete', 'update', 'features']
const CQL2 = [
  ...['cql2-text', 'cql2-json', 'basic-cql2', 'advanced-comparison-operators', 'basic-spatial-functions'],
  ...['temporal-functions', 'property-property', 'arithmetic', 'case-insensitive-comparison'],
  // The name of basic-spatial-functions in drafts of CQL2. QGIS looks for this name up to 3.40.7.
  'basic-spatial-operators',
]

const TILES = ['core', 'tileset', 'tilesets-list', 'geodata-tilesets', 'mvt', 'oas30']
const SETS = [
  'tilematrixset',
  'json-tilematrixset',
  'tilematrixsetlimits',
  'json-tilematrixsetlimits',
  'tilesetmetadata',
  'json-tilesetmetadata',
]

const SPEC = 'http://www.opengis.net/spec'

/** The conformance classes of this service. Each one has tests in test/ogc. */
export const CONFORMANCE: readonly string[] = [
  `${SPEC}/ogcapi-common-1/1.0/conf/core`,
  ...FEATURES.map((name) => `${SPEC}/ogcapi-features-1/1.0/conf/${name}`),
  `${SPEC}/ogcapi-features-2/1.0/conf/crs`,
  ...FILTER.map((name) => `${SPEC}/ogcapi-features-3/1.0/conf/${name}`),
  ...CQL2.map((name) => `${SPEC}/cql2/1.0/conf/${name}`),
  ...EDITING.map((name) => `${SPEC}/ogcapi-features-4/1.0/conf/${name}`),
  `${SPEC}/ogcapi-features-5/1.0/conf/schemas`,
  ...TILES.map((name) => `${SPEC}/ogcapi-tiles-1/1.0/conf/${name}`),
  ...SETS.map((name) => `${SPEC}/tms/2.0/conf/${name}`),
]
