/** The title of a page and its description. Search engines and browsers show them. */
export interface Head {
  readonly title: string
  readonly description: string
}

type Fields = Readonly<Record<string, unknown>>

/** Search engines show about so many characters of a description. */
const LONGEST = 200

/**
 * Describes an answer in words: an event by its value and time, a series by its name, a list by its number of items, an
 * error by its message. `title` and `description` are those of the address, for any other answer.
 */
export const headOf = (body: object, { title, description }: Head): Head => {
  const fields = fieldsIn(body)
  const { detail, name, value } = fields
  if (isText(detail)) return { title, description: shortened(detail) }
  if (isText(name)) return { title: name, description: shortened(textOf(fields.description) || description) }
  if (typeof value === 'string') return headOfEvent(fields, title)
  const number = 'count' in body && typeof body.count === 'number' ? `${body.count.toLocaleString('en')} in all. ` : ''
  return { title, description: shortened(number + (textOf(fields.description) || description)) }
}

/** Returns the members of an item. Those of a feature are its properties and its place. */
const fieldsIn = (body: object): Fields => {
  const properties = 'properties' in body ? body.properties : null
  if (typeof properties !== 'object' || properties === null) return { ...body }
  return { ...properties, geometry: 'geometry' in body ? body.geometry : null }
}

const headOfEvent = (fields: Fields, title: string): Head => {
  const { value, category, timestamp_start, start = timestamp_start, timestamp_end, end = timestamp_end } = fields
  const period = [...new Set([start, end].map(timeOf))].filter(isText)
  const [day] = period.map((time) => time.replace(/T.*/, ''))
  return {
    title: [textOf(value) || textOf(category) || title, day].filter(Boolean).join(', '),
    description: shortened([category, value, period.join(' to '), placeIn(fields)].filter(isText).join('. ')),
  }
}

const placeIn = ({ geometry }: Fields): string => {
  const { coordinates = null } = { ...(geometry as { coordinates?: unknown } | null) }
  const [longitude, latitude] = Array.isArray(coordinates) ? coordinates : []
  return typeof longitude === 'number' ? `Longitude ${longitude}, latitude ${latitude}` : ''
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Returns a time as ISO 8601. A number is in milliseconds since 1970. */
const timeOf = (time: unknown): string => (typeof time === 'number' ? instantOf(time) : textOf(time))

/** Writes milliseconds since 1970. A Date has at most 8.64e15 of them, see ECMAScript. */
export const instantOf = (milliseconds: number): string =>
  Math.abs(milliseconds) > 8.64e15 ? String(milliseconds) : new Date(milliseconds).toISOString()

/** Cuts a text at the end of a word. */
const shortened = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST).replace(/\s\S*$/, '')}…`
}
