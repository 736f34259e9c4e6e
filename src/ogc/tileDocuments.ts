import { MVT } from '../formats/mvt.ts'
import { formatQuery } from '../request/query.ts'
import type { Collection } from './collection.ts'
import { CRS84 } from './crs.ts'
import { JSON_TYPE, type Link, link, type OgcAsked, REL, STYLE, selfLinks } from './request.ts'
import {
  deepestOf,
  definitionOf,
  MERCATOR_END,
  sizeOf,
  TILE_MATRIX_SETS,
  type TileMatrixSet,
  WEB_MERCATOR,
} from './tileMatrix.ts'
import { LAYERS } from './tiles.ts'

const LIMITED = 'The tiles have only events with a place'

/** Lists the tile matrix sets in which tiles exist. */
export const tileMatrixSets = (asked: OgcAsked): object => ({
  links: selfLinks(asked, JSON_TYPE),
  tileMatrixSets: TILE_MATRIX_SETS.map((set) => ({
    id: set.id,
    title: set.title,
    uri: set.uri,
    crs: set.crs,
    links: [schemeLink(asked, set)],
  })),
})

export const tileMatrixSet = (asked: OgcAsked, set: TileMatrixSet): object => ({
  ...definitionOf(set),
  links: selfLinks(asked, JSON_TYPE),
})

/** Lists the tilesets of a collection. Their links carry the filters of the request. */
export const tilesets = (asked: OgcAsked, collection: Collection): object => ({
  links: selfLinks(asked, JSON_TYPE),
  tilesets: TILE_MATRIX_SETS.map((set) => ({
    ...headOf(collection, set),
    links: tilesetLinks(asked, `${asked.address}/${set.id}`, set),
  })),
})

/** Describes a tileset with all that a client needs to request its tiles (OGC Two Dimensional Tile Matrix Set 2.0). */
export const tileset = (asked: OgcAsked, collection: Collection, set: TileMatrixSet): object => ({
  ...headOf(collection, set),
  description: `${LIMITED}${set === WEB_MERCATOR ? `. Events beyond ${MERCATOR_END.toFixed(4)} degrees north and south are at the edge.` : '.'}`,
  mediaTypes: [MVT],
  boundingBox: { lowerLeft: [-180, set.latitude(1)], upperRight: [180, set.latitude(0)], crs: CRS84 },
  layers: LAYERS.map(({ id, description, geometryDimension, properties }) => ({
    id,
    description,
    dataType: 'vector',
    geometryDimension,
    minTileMatrix: '0',
    maxTileMatrix: String(deepestOf(set)),
    propertiesSchema: { type: 'object', properties },
  })),
  tileMatrixSetLimits: Array.from({ length: deepestOf(set) + 1 }, (_, level) => {
    const [columns, rows] = sizeOf(set, level)
    return { tileMatrix: String(level), minTileRow: 0, maxTileRow: rows - 1, minTileCol: 0, maxTileCol: columns - 1 }
  }),
  links: [
    ...selfLinks(asked, JSON_TYPE),
    ...tilesetLinks(asked, asked.address, set).filter(({ rel }) => rel !== 'self'),
  ],
})

const headOf = ({ title }: Collection, { crs, uri }: TileMatrixSet) => ({
  title,
  dataType: 'vector',
  crs,
  tileMatrixSetURI: uri,
})

/** Returns the filters of the request as the query of an address. */
const queryOf = ({ parameters }: OgcAsked): string => formatQuery(parameters.filter(({ name }) => name !== 'f'))

const schemeLink = ({ root }: OgcAsked, { id, title }: TileMatrixSet): Link =>
  link(REL.tilingScheme, JSON_TYPE, `${root}/tileMatrixSets/${id}`, title)

const tilesetLinks = (asked: OgcAsked, address: string, set: TileMatrixSet): Link[] => {
  const query = queryOf(asked)
  return [
    link('self', JSON_TYPE, `${address}${query}`, 'The tileset'),
    schemeLink(asked, set),
    { ...link('item', MVT, `${address}/{tileMatrix}/{tileRow}/{tileCol}${query}`, 'The tiles'), templated: true },
    ...(set === WEB_MERCATOR
      ? [
          link('describedby', JSON_TYPE, `${address}/tilejson.json${query}`, 'As TileJSON'),
          link('describedby', STYLE, `${address}/style.json${query}`, 'As a style for MapLibre'),
        ]
      : []),
  ]
}

/** Returns the address of the tileset of a document below it. */
const above = ({ address }: OgcAsked): string => address.replace(/\/[^/]+$/, '')

/** Describes a tileset in TileJSON 3.0. */
export const tileJson = (asked: OgcAsked, { title }: Collection): object => ({
  tilejson: '3.0.0',
  name: title,
  description: LIMITED,
  tiles: [`${above(asked)}/{z}/{y}/{x}${queryOf(asked)}`],
  minzoom: 0,
  maxzoom: deepestOf(WEB_MERCATOR),
  bounds: [-180, -MERCATOR_END, 180, MERCATOR_END],
  vector_layers: LAYERS.map(({ id, description, properties }) => ({
    id,
    description,
    minzoom: 0,
    maxzoom: deepestOf(WEB_MERCATOR),
    fields: Object.fromEntries(Object.entries(properties).map(([name, { title }]) => [name, String(title)])),
  })),
})

/**
 * Makes a MapLibre style that shows the tileset alone. A cell is a square in every tile, because only some tiles have
 * dots. Dots lie over pale squares and under darker ones, through which they shine at high zoom levels. Each class of
 * counts is a layer, because QGIS understands filters, but few expressions. It shows their ids.
 */
export const style = (asked: OgcAsked, { title }: Collection): object => ({
  version: 8,
  name: title,
  sources: { events: { type: 'vector', url: `${above(asked)}/tilejson.json${queryOf(asked)}` } },
  layers: [
    cellsWith('1 to 9 events', '#8fbfee', ['<', COUNT, 10]),
    {
      id: 'single events',
      type: 'circle',
      source: 'events',
      'source-layer': 'events',
      paint: {
        'circle-color': ['get', 'color'],
        'circle-radius': ['interpolate', ['linear'], ['zoom'], 0, 2, 6, 3.5, 14, 6],
        'circle-stroke-color': '#ffffff',
        'circle-stroke-width': 0.7,
      },
    },
    cellsWith('10 to 99 events', '#559bdf', ['>=', COUNT, 10], ['<', COUNT, 100]),
    cellsWith('100 to 999 events', '#2b74c4', ['>=', COUNT, 100], ['<', COUNT, 1000]),
    cellsWith('1000 to 9999 events', '#174f94', ['>=', COUNT, 1000], ['<', COUNT, 10_000]),
    cellsWith('10000 or more events', '#0a2c5e', ['>=', COUNT, 10_000]),
  ],
})

const COUNT = ['get', 'count']

/** Makes a layer of the cells that pass all tests. */
const cellsWith = (id: string, color: string, ...tests: readonly unknown[]): object => ({
  id,
  type: 'fill',
  source: 'events',
  'source-layer': 'cells',
  filter: ['all', ...tests],
  paint: {
    'fill-color': color,
    'fill-opacity': ['interpolate', ['linear'], ['zoom'], 11, 1, 15, 0.5],
    'fill-antialias': false,
  },
})
