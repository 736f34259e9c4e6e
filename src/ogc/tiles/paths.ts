import type { Schema } from '../../filters/lookups.ts'
import { document, json, READ, success } from '../../openapi/answers.ts'
import { get } from '../../openapi/operations.ts'
import { parameter } from '../../openapi/parameters.ts'
import { WEB_MERCATOR } from '../../tiles/matrix.ts'
import { MVT } from '../../tiles/mvt.ts'
import type { Collection } from '../collection.ts'
import { addressesOf, OBJECT } from '../paths.ts'
import { STYLE } from './documents.ts'
import { TILE_PARAMETERS } from './serve.ts'

/** Describes the tiles of a collection. Null: of any collection. */
export const tilePaths = (collection: Collection | null): Schema => {
  const { path, inPath, filters, named } = addressesOf(collection)
  const tiles = `${path}/tiles`
  const set = `${tiles}/{tileMatrixSetId}`
  const mercator = `${tiles}/${WEB_MERCATOR.id}`
  const read = (does: string, summary: string, ofPath: readonly string[], content = document(OBJECT)): Schema => ({
    get: get(
      {
        tags: ['Tiles'],
        operationId: named('.', `collection.vector.${does}`),
        summary,
        parameters: [...inPath, ...[...ofPath, ...TILE_PARAMETERS].map(parameter), ...filters],
      },
      success(`${summary}.`, READ, content),
    ),
  })
  return {
    [tiles]: read('getTileSetsList', 'Tilesets', ['f-document']),
    [set]: read('getTileSet', 'A tileset', ['tileMatrixSetId', 'f-document']),
    [`${set}/{tileMatrix}/{tileRow}/{tileCol}`]: read(
      'getTile',
      'A vector tile with its events, or with cells and their counts if there are many events',
      ['tileMatrixSetId', 'tileMatrix', 'tileRow', 'tileCol', 'f-tile'],
      json({ type: 'string', format: 'binary' }, MVT),
    ),
    [`${mercator}/tilejson.json`]: read('getTileJson', 'A tileset as TileJSON', ['f-document']),
    [`${mercator}/style.json`]: read('getStyle', 'A tileset as a style for MapLibre', ['f-document'], {
      ...document(OBJECT),
      ...document(OBJECT, STYLE),
    }),
  }
}
