import type { Polygon } from 'geojson'
import { bboxOf } from '../../geometry/bbox.ts'
import type { Schemas } from '../api.d.ts'
import { type EventFeature, readEvent } from './event.ts'

type AnySeries = Schemas['EventSeriesV3'] & Schemas['EventSeriesV4']
type SharedName = 'url' | 'name' | 'description' | 'statistic' | 'color'

/** An event series of version 3, of version 4, or of /ogc. /ogc has the name of the observation type. */
export type Series = Pick<AnySeries, SharedName> &
  Partial<Omit<AnySeries, SharedName>> & { readonly observation_type_name?: string }

export type Bounds = Schemas['Bounds']

/** The envelope of a list. */
export type ListAnswer = Pick<Schemas['EventV4Page'], 'count' | 'next' | 'previous'> & {
  readonly results: readonly object[]
}

/** A page of features under /ogc. */
interface FeatureCollection {
  readonly numberMatched: number
  readonly features: readonly object[]
  readonly links: readonly { readonly rel: string; readonly href: string }[]
}

/** Tests if an answer is a page of a list. */
export const isList = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && ('results' in body || ('numberMatched' in body && 'features' in body))

/** Reads a list at a path, with rows in the shape of the page. Returns null for other answers. */
export const readList = (body: unknown, path: string): ListAnswer | null => {
  if (typeof body !== 'object' || body === null) return null
  if ('results' in body && Array.isArray(body.results)) {
    const list = body as ListAnswer
    return { ...list, results: list.results.map((row) => readRow(row, '')) }
  }
  if (!('numberMatched' in body && 'features' in body)) return null
  const { numberMatched: count, features, links } = body as FeatureCollection
  const linked = (rel: string) => links.find((link) => link.rel === rel)?.href ?? null
  const items = path.replace(/\/$/, '')
  const results = features.map((row) => readRow(row, 'id' in row ? `${items}/${row.id}` : items))
  return { count, next: linked('next'), previous: linked('prev'), results }
}

/** Reads an event or a series into the shape of the page. Other rows stay unchanged. */
export const readRow = (row: object, address: string): object => {
  if (!isFeature(row)) return row
  if ('category' in row.properties) return readEvent(row as EventFeature, address)
  return 'statistic' in row.properties ? seriesOf(row as OgcSeries, address) : row
}

const isFeature = (row: object): row is { readonly properties: object } =>
  'type' in row && row.type === 'Feature' && 'properties' in row

interface OgcSeries {
  readonly geometry: Polygon | null
  readonly properties: Omit<Series, 'url' | 'observation_type'> & { readonly observation_type: string }
}

const seriesOf = ({ geometry, properties }: OgcSeries, url: string): Series => {
  const { observation_type: _, ...series } = properties
  const [west, south, east, north] = bboxOf(Float64Array.from(geometry?.coordinates.flat(2) ?? [])) ?? []
  const isPlaced = west !== undefined && south !== undefined && east !== undefined && north !== undefined
  return { ...series, url, spatial_bounds: isPlaced ? { west, south, east, north } : null }
}

export const isSeries = (row: unknown): row is Series =>
  typeof row === 'object' && row !== null && 'color' in row && 'statistic' in row

/** The uuid of a series. In version 3 only its address has it. */
export const uuidOf = (series: Series): string => series.uuid ?? new URL(series.url).pathname.split('/').at(-2) ?? ''

/** Moves the source from the beginning of a description to its end. The description of the data then stands first. */
export const sourceLast = (description: string): string =>
  description.replace(/^(Source: .*?\.)\s+(\p{Lu}.*)$/su, '$2 $1')
