import { at } from '../collections.ts'
import { nameOfSeries } from '../engine/read.ts'
import type { Database } from '../engine/run/database.ts'
import { fileName, type QueryPairs } from '../formats/fileName.ts'
import type { ItemsFormat } from '../formats/items.ts'
import type { Resource } from '../resource.ts'
import { parameterIn, type Values } from './parameters.ts'

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
export const fileParts = async (db: Database, list: Resource, values: Values): Promise<QueryPairs> => {
  const asked = askedOf(list, values)
  const name = await nameOfSeries(db)
  return name === null ? asked : [['', name], ...asked.filter(([filter]) => filter !== 'event_series')]
}

/** Returns the filters of a request and its page. They become part of the name of the file. */
export const askedOf = ({ filters }: Pick<Resource, 'filters'>, { bytes }: Values): QueryPairs =>
  [...bytes].flatMap(([name, value]) => {
    const text = new TextDecoder().decode(value)
    return parameterIn(filters, name) !== undefined || (name === 'page' && text !== '1') ? [[name, text] as const] : []
  })
