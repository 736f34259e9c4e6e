import type { Fact } from '../app/document.tsx'
import { type AddressParameter, hrefOf, type PageAddress, parameter } from '../state/address.ts'
import type { EventItem } from '../state/event.ts'
import { formatDuration, formatExact, formatPosition, formatValue } from '../state/format.ts'
import { FIRST_PAGE, type SeriesById } from '../state/known.ts'
import { prefix } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { attributeOf } from './attributes.tsx'
import { SeriesLink } from './columns.tsx'

/** Returns all that is known of an event. `path` is that of its list. */
export const factsOf = (event: EventItem, path: string, known: SeriesById): Fact[] => {
  const t = texts().list.columns
  const { geometry, object, category } = event
  const series = known.get(event.series)
  const [, , z] = geometry?.coordinates ?? []
  return [
    [t.value, formatValue(event.value) || null],
    [
      t.category,
      category ? <To place={{ path, parameters: [parameter('category', category)] }} text={category} /> : null,
    ],
    [t.series, series === undefined ? `${event.series}` : <SeriesLink series={series} />],
    [t.start, formatExact(event.start)],
    [t.end, formatExact(event.end)],
    ...(event.end === event.start ? [] : [[t.duration, formatDuration(event.end - event.start)] as const]),
    [t.place, geometry === null ? null : formatPosition(geometry.coordinates)],
    ...(z ? [['z', formatValue(String(z))] as const] : []),
    ...(object === null
      ? []
      : [[t.object, <To place={eventsOfObject(path, object)} text={`${object.type} ${object.id}`} />] as const]),
    ...detailFacts(event),
  ]
}

/** Returns the id of an event at its source, and its attributes. Empty until they are known. */
export const detailFacts = ({ details }: Pick<EventItem, 'details'>): Fact[] => {
  if (details === null) return []
  const { externalId, attributes } = details
  const attributeFacts = Object.entries(attributes).map(([name, value]) => [name, attributeOf(value)] as const)
  return externalId === null ? attributeFacts : [[texts().list.columns.externalId, externalId], ...attributeFacts]
}

const To = ({ place, text }: { readonly place: PageAddress; readonly text: string }) => (
  <a href={hrefOf(place)}>{text}</a>
)

/** Returns the list of an object's events. Version 4 has no such filter, so its page links to version 3. */
export const eventsOfObject = (path: string, { type, id }: NonNullable<EventItem['object']>): PageAddress => {
  const parameters: AddressParameter[] = [parameter('object', `${type}$${id}`)]
  if (!path.startsWith(`${prefix}/ogc/`))
    return { path: `${prefix}/api/v3/events/`, parameters: [...parameters, ...FIRST_PAGE] }
  return { path, parameters: [parameter('object_type', type), parameter('object_id', String(id))] }
}
