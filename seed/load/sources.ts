import type { SeriesRecord } from '../../src/store/records.ts'
import { sridAhead } from '../read/collection.ts'
import { crsOf } from '../read/crs.ts'
import { noNames } from '../read/event.ts'
import { recognise } from '../read/format.ts'
import type { SourceFile } from '../read/items.ts'
import { LoadError } from './error.ts'
import type { LoadOptions } from './files.ts'
import type { Chosen } from './series.ts'

/** Decides how a file is read. Throws LoadError for options that contradict each other. */
export async function sourceOf(
  file: string,
  options: LoadOptions,
  chosen: Chosen | null,
  series: readonly SeriesRecord[],
): Promise<SourceFile> {
  const recognised = await recognise(file, options.format, options.encoding)
  if (chosen !== null && recognised.format === 'ndjson')
    throw new LoadError(`${file} names the series of its events: remove --series`)
  const { key, newIds = key !== undefined, times = {}, crs, decimal, encoding } = options
  if (key !== undefined && recognised.format === 'ndjson')
    throw new LoadError(`${file} has the ids of its events: remove --key-column`)
  const named = recognised.format === 'geojson' ? sridAhead(file, recognised.head) : null
  const srid = crs === undefined ? named : codeOf(crs)
  const names = { ...noNames, ...options.names, ...(key !== undefined && { external: key }) }
  const read = {
    names,
    series: chosen?.series.id ?? null,
    seriesIds: new Map(series.map(({ uuid, id }) => [uuid, id])),
    newIds,
    partial: key !== undefined,
    times,
    decimal,
    ...(srid !== null && { crs: await crsOf(srid) }),
  }
  return { ...recognised, file, encoding, options: read, unread: new Set() }
}

function codeOf(crs: string): number {
  const [, code] = /^(?:EPSG:)?(\d{4,6})$/i.exec(crs) ?? []
  if (code === undefined) throw new LoadError(`--crs is ${JSON.stringify(crs)}: enter an EPSG code, such as 28992`)
  return Number(code)
}
