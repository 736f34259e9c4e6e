import type { Fact } from '../app/document.tsx'
import { type AddressParameter, type PageAddress, parameter } from '../state/address.ts'
import type { EventItem } from '../state/event.ts'
import { type Field, labelOf } from '../state/fields.ts'
import { FIRST_PAGE, type SeriesById } from '../state/known.ts'
import { prefix } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { attributeCell, attributesOf, type CellContext, cellOf } from './cells.tsx'
import { isNaming } from './columns.tsx'

/** Returns all that is known of an event. `path` is that of its list. */
export const factsOf = (event: EventItem, fields: readonly Field[], path: string, series: SeriesById): Fact[] => {
  const context: CellContext = {
    series,
    list: { path, parameters: path.endsWith('/api/v3/events/') ? FIRST_PAGE : [] },
    instants: 'exact',
  }
  const plain = fields.filter(({ column, kind }) => column !== undefined && kind !== 'attributes')
  const sorted = plain.toSorted((a, b) => rankOf(a) - rankOf(b))
  const facts = sorted.map((field) => [labelOf(field), cellOf(field, event, context)] as const)
  return [...facts.filter(([, value]) => value !== null), ...attributeFacts(attributesOf(event), context.list)]
}

/** The name comes first, and what few people need comes last. */
const rankOf = (field: Field): number => {
  if (isNaming(field)) return 0
  return field.group === 'more' && field.column === 3 ? 2 : 1
}

const attributeFacts = (attributes: Readonly<Record<string, unknown>>, list: PageAddress): Fact[] =>
  Object.entries(attributes).map(([name, value]) => [name, attributeCell(name, value, list)])

/** Returns the id of an event at its source, and its attributes. Empty until they are known. */
export const detailFacts = ({ details }: Pick<EventItem, 'details'>): Fact[] => {
  if (details === null) return []
  const { externalId, attributes } = details
  const facts = attributeFacts(attributes, { path: `${prefix}/api/v3/events/`, parameters: FIRST_PAGE })
  return externalId === null ? facts : [[texts().list.columns.externalId, externalId], ...facts]
}

/** Returns the list of an object's events. Version 4 has no such filter, so its page links to version 3. */
export const eventsOfObject = (path: string, { type, id }: NonNullable<EventItem['object']>): PageAddress => {
  const parameters: AddressParameter[] = [parameter('object', `${type}$${id}`)]
  if (!path.startsWith(`${prefix}/ogc/`))
    return { path: `${prefix}/api/v3/events/`, parameters: [...parameters, ...FIRST_PAGE] }
  return { path, parameters: [parameter('object_type', type), parameter('object_id', String(id))] }
}
