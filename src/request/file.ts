import { at } from '../collections.ts'
import { nameOfSeries } from '../engine/read.ts'
import type { Database } from '../engine/run/database.ts'
import { uuidPrefix } from '../filters/references.ts'
import type { ItemsFormat } from '../formats/items.ts'
import type { Resource } from '../resource.ts'
import { parameterIn, textIn, type Values } from './parameters.ts'
import type { RequestContext } from './route.ts'

/** The names and values of the parameters in a request for a list. */
type QueryPairs = readonly (readonly [name: string, value: string])[]

/** Returns the headers of items in a format: a name for the file. */
export const itemsHeaders = (
  { extension }: ItemsFormat,
  { path }: Resource,
  asked: QueryPairs,
): Record<string, string> => {
  const name = fileName(at(path.split('/'), -2), asked, extension)
  return { 'Content-Disposition': `attachment; filename="${name}"` }
}

/** Returns what the name of a file tells: the name of the series, the filters and the page. */
export const fileParts = async (
  c: RequestContext,
  db: Database,
  list: Resource,
  values: Values,
): Promise<QueryPairs> => {
  const asked = askedOf(list, values)
  const uuid = seriesOf(c, list, values)
  const name = uuid && (await nameOfSeries(db, uuid))
  return name === null ? asked : [['', name], ...asked.filter(([filter]) => filter !== FILTER)]
}

/** Returns the uuid of the only series whose events a list shows. Null: it may show others. */
const seriesOf = (c: RequestContext, { under, filters }: Resource, values: Values): string | null => {
  const filtered = filters.has(FILTER) ? textIn(values, FILTER) : ''
  const named = under === undefined ? filtered : (c.req.param(under.parent.key.name) ?? '')
  const uuid = named === '' ? null : uuidPrefix(named)
  return uuid?.length === 36 ? uuid : null
}

/** The filter by the uuids of series. */
const FILTER = 'event_series'

/** Returns the filters of a request and its page. They become part of the name of the file. */
export const askedOf = ({ filters }: Pick<Resource, 'filters'>, { texts }: Values): QueryPairs =>
  [...texts].filter(([name, value]) => parameterIn(filters, name) !== undefined || (name === 'page' && value !== '1'))

const MAX_NAME = 60
/** A longer value never fits into a name, so it is skipped. */
const MAX_VALUE = 200

/**
 * Returns a file name with the list and the filters of the request, such as `events_category-hurricane.csv`. It has
 * only letters, digits, dots, hyphens and underscores, which every file system and an HTTP header accept. A value that
 * makes the name too long is left out, not cut.
 */
export const fileName = (list: string, parameters: QueryPairs, extension: string): string => {
  let file = list
  for (const [name, value] of parameters) {
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
