import type { Schema } from '../../filters/lookups.ts'
import { deepestOf } from '../../tiles/cells.ts'
import { TILE_MATRIX_SETS, WEB_MERCATOR } from '../../tiles/matrix.ts'
import { MVT } from '../../tiles/mvt.ts'
import type { Collection } from '../collection.ts'
import { ref } from '../parameters.ts'
import { HTML, JSON_TYPE } from '../request.ts'
import { STYLE } from './documents.ts'
import { TILE_PARAMETERS } from './serve.ts'

const inPath = (name: string, description: string, schema: Schema): Schema => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
})

const NUMBER = { type: 'integer', minimum: 0 }
const SETS = { type: 'string', enum: TILE_MATRIX_SETS.map(({ id }) => id) }

/** The parameters in the addresses of tiles. */
export const TILE_COMPONENTS: Readonly<Record<string, Schema>> = {
  tileMatrixSetId: inPath('tileMatrixSetId', 'A tile matrix set.', SETS),
  tileMatrix: inPath('tileMatrix', 'A level of the matrix set. Level 0 has the fewest details.', {
    ...NUMBER,
    maximum: deepestOf(WEB_MERCATOR),
  }),
  tileRow: inPath('tileRow', 'The row of a tile, from the north.', NUMBER),
  tileCol: inPath('tileCol', 'The column of a tile, from the west.', NUMBER),
  'f-tile': {
    name: 'f',
    in: 'query',
    required: false,
    description: 'The format of the tile.',
    schema: { type: 'string', enum: ['mvt'] },
  },
}

const [SET, MATRIX, ROW, COL, F_TILE] = Object.keys(TILE_COMPONENTS).map((name) => ref('parameters', name))
const F = ref('parameters', 'f-document')

const content = (type: string, schema: Schema): Schema => ({ [type]: { schema } })

const read = (
  operationId: string,
  summary: string,
  parameters: readonly (Schema | undefined)[],
  answers: Schema,
): Schema => ({
  get: {
    tags: ['Tiles'],
    operationId,
    summary,
    parameters: parameters.filter((each) => each !== undefined),
    responses: {
      200: { description: `${summary}.`, content: answers },
      ...Object.fromEntries(
        [400, 401, 404, 406, 500, 503, 'default'].map((status) => [status, ref('responses', 'Fault')]),
      ),
    },
  },
})

const document = (type = JSON_TYPE): Schema => ({
  ...content(type, { type: 'object' }),
  ...content(HTML, { type: 'string' }),
})

/**
 * Describes the addresses of tile matrix sets and of tiles. A listed collection has its own paths. Other collections
 * have paths with the id in braces.
 */
export const tilePaths = (collections: readonly Collection[]): Schema => ({
  '/tileMatrixSets': read('getTileMatrixSetsList', 'The tile matrix sets', [F], document()),
  '/tileMatrixSets/{tileMatrixSetId}': read('getTileMatrixSet', 'A tile matrix set', [SET, F], document()),
  ...pathsOf('/collections/{collectionId}', '', [ref('parameters', 'collectionId')], []),
  ...Object.assign(
    {},
    ...collections
      .filter(({ ofSeries }) => !ofSeries)
      .map(({ id, filters }) =>
        pathsOf(
          `/collections/${id}`,
          `${id}.`,
          [],
          [...filters.keys()].map((name) => ref('parameters', `${id}.${name}`)),
        ),
      ),
  ),
})

const pathsOf = (path: string, name: string, above: readonly Schema[], filters: readonly Schema[]): Schema => {
  const parameters = [...TILE_PARAMETERS.map((each) => ref('parameters', each)), ...filters]
  const tiles = `${path}/tiles`
  const set = `${tiles}/{tileMatrixSetId}`
  const operation = (does: string) => `${name}collection.vector.${does}`
  const mercator = `${tiles}/${WEB_MERCATOR.id}`
  return {
    [tiles]: read(operation('getTileSetsList'), 'Tilesets', [...above, F, ...parameters], document()),
    [set]: read(operation('getTileSet'), 'A tileset', [...above, SET, F, ...parameters], document()),
    [`${set}/{tileMatrix}/{tileRow}/{tileCol}`]: read(
      operation('getTile'),
      'A vector tile with its events, or with cells and their counts if there are many events',
      [...above, SET, MATRIX, ROW, COL, F_TILE, ...parameters],
      content(MVT, { type: 'string', format: 'binary' }),
    ),
    [`${mercator}/tilejson.json`]: read(
      operation('getTileJson'),
      'A tileset as TileJSON',
      [...above, F, ...parameters],
      document(),
    ),
    [`${mercator}/style.json`]: read(
      operation('getStyle'),
      'A tileset as a style for MapLibre',
      [...above, F, ...parameters],
      { ...document(), ...document(STYLE) },
    ),
  }
}
