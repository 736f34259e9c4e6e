import type { SeriesRecord } from '../../src/model/series.ts'
import { sridAhead } from '../read/collection.ts'
import { crsOf } from '../read/crs.ts'
import type { FieldNames } from '../read/event.ts'
import type { SourceFile } from '../read/items.ts'
import { recognise } from '../read/items.ts'
import type { TimeOptions } from '../read/time.ts'
import { LoadError } from './error.ts'
import type { Chosen, SeriesOptions } from './series.ts'

/** Options for reading files. */
export interface LoadOptions extends SeriesOptions {
  /** The format of all files. Absent: it is recognised for each file. */
  readonly format?: string | undefined
  /** The names of fields in the files. They are needed only if the names are unusual. */
  readonly names?: FieldNames
  readonly times?: TimeOptions
  /**
   * The EPSG code of the reference system of the coordinates. Absent: they are degrees, or GeoJSON names the system.
   */
  readonly crs?: string | undefined
  /** The decimal mark of numbers in CSV. It is a comma or a point. Absent: it is recognised. */
  readonly decimal?: string | undefined
  /** The encoding of the files, such as windows-1252. Absent: UTF-8. */
  readonly encoding?: string | undefined
  /** True: if events in the files are equal, only the first is stored. */
  readonly dropDuplicates?: boolean
  /** The column of external ids. A row changes the stored event with the same external id. */
  readonly key?: string | undefined
  /** True: events get new ids, even if the file has ids. */
  readonly newIds?: boolean | undefined
  /** True: records that cannot be stored are left out. */
  readonly skipInvalid?: boolean
  /** The file for records that cannot be stored. All others are loaded. */
  readonly rejects?: string | undefined
  /** True: the load only checks, and stores nothing. */
  readonly dryRun?: boolean
  /** Stops the load between two batches. */
  readonly signal?: AbortSignal
}

/** Decides how a file is read. Throws LoadError for options that contradict each other. */
export async function sourceOf(
  file: string,
  options: LoadOptions,
  chosen: Chosen | null,
  series: readonly SeriesRecord[],
): Promise<SourceFile> {
  const { key, newIds = key !== undefined, times = {}, crs, decimal, encoding } = options
  const recognised = await recognise(file, options.format, encoding)
  if (chosen !== null && recognised.format === 'ndjson')
    throw new LoadError(`${file} names the series of its events: remove --series`)
  if (key !== undefined && recognised.format === 'ndjson')
    throw new LoadError(`${file} has the ids of its events: remove --key-column`)
  const named = recognised.format === 'geojson' ? sridAhead(file, recognised.head) : null
  const srid = crs === undefined ? named : codeOf(crs)
  const read = {
    names: { ...options.names, ...(key !== undefined && { external_id: key }) },
    series: chosen?.series.id ?? null,
    seriesIds: new Map(series.map(({ uuid, id }) => [uuid, id])),
    ...{ newIds, partial: key !== undefined, times, decimal },
    ...(srid !== null && { crs: await crsOf(srid) }),
  }
  return { ...recognised, file, encoding, options: read, unread: new Set() }
}

function codeOf(crs: string): number {
  const [, code] = /^(?:EPSG:)?(\d{4,6})$/i.exec(crs) ?? []
  if (code === undefined) throw new LoadError(`--crs is ${JSON.stringify(crs)}: enter an EPSG code, such as 28992`)
  return Number(code)
}
