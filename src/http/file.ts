import { at } from '../base/collections.ts'
import type { Reader } from '../engine/engine.ts'
import { uuidPrefix } from '../filters/references.ts'
import type { Resource } from '../lists/resource.ts'
import { metadataOf } from '../model/metadata.ts'
import type { Metadata } from '../model/types.ts'
import { parameterIn, textIn, type Values } from './parameters.ts'
import type { RequestContext } from './route.ts'

/** The parts of the name of a file: the names and values of parameters. */
type Parts = readonly (readonly [name: string, value: string])[]

const MAX_NAME = 60
/** A longer value never fits into a name, so it is skipped. */
const MAX_VALUE = 200

/** Returns the headers of items as a file: its name. */
export const itemsHeaders = (
  extension: string,
  { path }: Pick<Resource, 'path'>,
  parts: Parts,
): Record<string, string> => ({
  'Content-Disposition': `attachment; filename="${fileName(at(path.split('/'), -2), parts, extension)}"`,
})

/**
 * Returns a file name with the list and the filters of the request, such as `events_category-hurricane.csv`. It has
 * only letters, digits, dots, hyphens and underscores, which every file system and an HTTP header accept. A value that
 * makes the name too long is left out, not cut.
 */
export const fileName = (list: string, parts: Parts, extension: string): string => {
  let file = list
  for (const [name, value] of parts) {
    const field = plain(name)
    const forms = [[field, plain(value)].filter(Boolean).join('-'), field]
    const part = forms.find((form) => form !== '' && `${file}_${form}.${extension}`.length <= MAX_NAME)
    if (part !== undefined) file = `${file}_${part}`
  }
  return `${file}.${extension}`
}

/** Removes the accents of letters, and replaces all other characters by hyphens. None stands at an end. */
const plain = (text: string): string =>
  (text.length > MAX_VALUE ? '' : text)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/__/g, '-')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[-_.]+|[-_.]+$/g, '')

/** The filter by the uuids of series. */
const FILTER = 'event_series'

/** The only series whose events a request asks for. */
interface OnlySeries {
  readonly name: string
  readonly metadata: Metadata
}

/** Reads the series of a request with a whole uuid. Null: the request may have several series. */
export const onlySeriesIn = async (
  c: RequestContext,
  reader: Reader,
  { under, filters }: Resource,
  values: Values,
): Promise<OnlySeries | null> => {
  const filtered = filters.has(FILTER) ? textIn(values, FILTER) : ''
  const named = under === undefined ? filtered : (c.req.param(under.parent.key.name) ?? '')
  const uuid = named === '' ? null : uuidPrefix(named)
  const series = uuid?.length === 36 ? await reader.item('series', { uuid }, { fields: ['name', 'metadata'] }) : null
  if (series === null) return null
  return { name: String(series.row.name), metadata: metadataOf(series.row) }
}

/** Returns what the name of a file tells: the filters and the page. The name of the only series replaces its uuid. */
export const fileParts = (list: Resource, values: Values, series: OnlySeries | null): Parts => {
  const asked = askedOf(list, values)
  return series === null ? asked : [['', series.name], ...asked.filter(([filter]) => filter !== FILTER)]
}

/** Returns the filters of a request and its page. They become part of the name of the file. */
export const askedOf = ({ filters }: Pick<Resource, 'filters'>, { texts }: Values): Parts =>
  [...texts].filter(([name, value]) => parameterIn(filters, name) !== undefined || (name === 'page' && value !== '1'))
