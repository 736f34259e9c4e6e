import type { Fact } from '../app/document.tsx'
import { type PageAddress, parameter } from '../state/address.ts'
import { type Field, labelOf } from '../state/fields.ts'
import { FIRST_PAGE, type SeriesById } from '../state/known.ts'
import type { EventItem } from '../state/rows.ts'
import { prefix } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { attributeCell, attributesOf, type CellContext, cellOf } from './cells.tsx'
import { isNaming } from './columns.tsx'

const LIST = `${prefix}/api/v3/events/`

/** Returns all that is known of an event. `path` is that of its list. */
export const factsOf = (event: EventItem, fields: readonly Field[], path: string, series: SeriesById): Fact[] => {
  const list = { path, parameters: path === LIST ? FIRST_PAGE : [] }
  const context: CellContext = { series, list, instants: 'exact' }
  const plain = fields.filter(({ column, kind }) => column !== undefined && kind !== 'attributes')
  const sorted = plain.toSorted((a, b) => rankOf(a) - rankOf(b))
  const facts = sorted.map((field) => [labelOf(field), cellOf(field, event, context)] as const)
  return [...facts.filter(([, value]) => value !== null), ...attributeFacts(event, list)]
}

/** The name comes first, and what few people need comes last. */
const rankOf = (field: Field): number => {
  if (isNaming(field)) return 0
  return field.group === 'more' && field.column === 3 ? 2 : 1
}

const attributeFacts = (event: EventItem, list: PageAddress): Fact[] =>
  Object.entries(attributesOf(event)).map(([name, value]) => [name, attributeCell(name, value, list)])

/** Returns the id of an event at its source, and its attributes. */
export const detailFacts = (event: EventItem): Fact[] => {
  const { external_id: id } = event.values
  const facts = attributeFacts(event, { path: LIST, parameters: FIRST_PAGE })
  return typeof id === 'string' ? [[texts().list.columns.externalId, id], ...facts] : facts
}

/** Returns the list of an object's events. Version 4 has no such filter, so its page links to version 3. */
export const eventsOfObject = (path: string, { type, id }: NonNullable<EventItem['object']>): PageAddress =>
  path.startsWith(`${prefix}/ogc/`)
    ? { path, parameters: [parameter('object_type', type), parameter('object_id', String(id))] }
    : { path: LIST, parameters: [parameter('object', `${type}$${id}`), ...FIRST_PAGE] }
