import type { Schema } from '../base/schema.ts'
import type { Offer } from '../http/offer.ts'
import { formatQuery } from '../http/query.ts'
import type { Query } from '../http/read.ts'
import { EVENT } from '../model/event.ts'
import { featureSchemasOf } from '../model/members.ts'
import type { Collection } from './collection.ts'
import { tileMembers } from './columns.ts'
import { CRS84 } from './crs.ts'
import { type Link, link, schemeLink, selfLinks, TYPE } from './links.ts'
import { about, type CollectionDocument, type Document, documents, SET } from './request.ts'
import {
  deepestOf,
  MERCATOR_END,
  MOST,
  sizeOf,
  TILE_MATRIX_SETS,
  type TileMatrixSet,
  WEB_MERCATOR,
} from './tileMatrix.ts'

/** The layer of a tile, and the properties of its features. */
interface Layer {
  readonly id: string
  readonly description: string
  readonly geometryDimension: number
  readonly properties: Readonly<Record<string, Schema>>
}

const OF_EVENTS = featureSchemasOf(EVENT, 'tile')

const layersOf = (collection: Collection): readonly Layer[] => [
  {
    id: 'events',
    description: `The events of a tile that has at most ${MOST}. Its cells count them as well.`,
    geometryDimension: 0,
    properties: Object.fromEntries(
      tileMembers(collection).map(({ name }) => [name, { ...OF_EVENTS[name], ...collection.schema[name] }]),
    ),
  },
  {
    id: 'cells',
    description:
      'Cells of a grid with the number of their events. If two tiles share a cell, each counts its own events.',
    geometryDimension: 2,
    properties: {
      count: { title: 'Number of events', type: 'integer' },
      has_events: { title: 'True if the tile has the events as well', type: 'boolean' },
    },
  },
]

const LIMITED = 'The tiles have only events with a place'

const headOf = ({ title }: Collection, set: TileMatrixSet) => ({
  title,
  dataType: 'vector',
  crs: set.crs,
  tileMatrixSetURI: set.uri,
})

/** Returns the filters of the request as the query of an address. */
const filtersIn = ({ parameters }: Query): string => formatQuery(parameters.filter(({ name }) => name !== 'f'))

const tilesetLinks = (query: Query, address: string, set: TileMatrixSet): Link[] => {
  const filters = filtersIn(query)
  const links = [
    schemeLink(query, set),
    {
      ...link('item', TYPE.mvt, `${address}/{tileMatrix}/{tileRow}/{tileCol}${filters}`, 'The tiles'),
      templated: true as const,
    },
  ]
  if (set !== WEB_MERCATOR) return links
  return [
    ...links,
    link('describedby', TYPE.json, `${address}/tilejson.json${filters}`, 'As TileJSON'),
    link('describedby', TYPE.style, `${address}/style.json${filters}`, 'As a style for MapLibre'),
  ]
}

/** Lists the tilesets of a collection. Their links carry the filters of the request. */
const tilesets = (query: Query, collection: Collection): object => ({
  links: selfLinks(query, TYPE.json),
  tilesets: TILE_MATRIX_SETS.map((set) => {
    const address = `${query.address}/${set.id}`
    const self = link('self', TYPE.json, `${address}${filtersIn(query)}`, 'The tileset')
    return { ...headOf(collection, set), links: [self, ...tilesetLinks(query, address, set)] }
  }),
})

/** Describes a tileset with all that a client needs to request its tiles (OGC Two Dimensional Tile Matrix Set 2.0). */
const tileset = (query: Query, collection: Collection, set: TileMatrixSet): object => ({
  ...headOf(collection, set),
  description: `${LIMITED}${set === WEB_MERCATOR ? `. Events beyond ${MERCATOR_END.toFixed(4)} degrees north and south are at the edge.` : '.'}`,
  mediaTypes: [TYPE.mvt],
  boundingBox: { lowerLeft: [-180, set.latitude(1)], upperRight: [180, set.latitude(0)], crs: CRS84 },
  layers: layersOf(collection).map(({ id, description, geometryDimension, properties }) => ({
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
  links: [...selfLinks(query, TYPE.json), ...tilesetLinks(query, query.address, set)],
})

/** Returns the address of the tileset of a document below it. */
const above = ({ address }: Query): string => address.replace(/\/[^/]+$/, '')

/** Describes a tileset in TileJSON 3.0. */
const tileJson = (query: Query, collection: Collection): object => ({
  tilejson: '3.0.0',
  name: collection.title,
  description: LIMITED,
  tiles: [`${above(query)}/{z}/{y}/{x}${filtersIn(query)}`],
  minzoom: 0,
  maxzoom: deepestOf(WEB_MERCATOR),
  bounds: [-180, -MERCATOR_END, 180, MERCATOR_END],
  vector_layers: layersOf(collection).map(({ id, description, properties }) => ({
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
const style = (query: Query, { title }: Collection): object => ({
  version: 8,
  name: title,
  sources: { events: { type: 'vector', url: `${above(query)}/tilejson.json${filtersIn(query)}` } },
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

const ofTiles = (path: string, id: string, summary: string, offer?: Offer): Document =>
  about(path, 'Tiles', `collection.vector.${id}`, summary, offer)
const MERCATOR = `/tiles/${WEB_MERCATOR.id}`
const STYLES = documents(TYPE.json, TYPE.style)

/** The documents about the tiles of a collection. They take the parameters of the tiles. */
export const TILE_DOCUMENTS: readonly CollectionDocument[] = [
  { ...ofTiles('/tiles', 'getTileSetsList', 'Tilesets'), make: tilesets },
  { ...ofTiles(`/tiles/${SET}`, 'getTileSet', 'A tileset'), make: tileset },
  { ...ofTiles(`${MERCATOR}/tilejson.json`, 'getTileJson', 'A tileset as TileJSON'), make: tileJson },
  { ...ofTiles(`${MERCATOR}/style.json`, 'getStyle', 'A tileset as a style for MapLibre', STYLES), make: style },
]
