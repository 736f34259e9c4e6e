import type { FileEvent } from '../read/event.ts'

/** The result of comparing an event with the stored one. */
export type Fate = 'new' | 'changed' | 'same' | 'faulty'

/** The last row with a certain external id. */
export interface NamedRow {
  /** The number of the row among all records. */
  readonly index: number
  /** One bit per field. It is set if the row has the field. */
  readonly fields: number
  readonly category: string | undefined
  readonly isPlaceless: boolean
  /** Null before the comparison. */
  fate: Fate | null
}

/** Merges rows with the same external id. The last row counts. */
export interface MergedRows {
  /** Adds a row. Returns its entry and the row that it replaces, or the reason of a fault. */
  readonly add: (
    event: FileEvent,
    index: number,
  ) => { readonly entry: NamedRow; readonly before: NamedRow | undefined } | { readonly fault: string }
  readonly isLast: (event: FileEvent, index: number) => boolean
  readonly entries: () => Iterable<NamedRow>
}

/** The fault of an event without an external id. */
export const NAMELESS = 'the column of --key-column is empty: enter the id of the event at its source'

/** Returns the name of an event: its series and its external id. */
export const nameOf = ({ series, external_id }: Pick<FileEvent, 'series' | 'external_id'>): string =>
  `${series} ${external_id}`

/** The fields that a row may lack. */
const FIELDS = ['category', 'value', 'start', 'end', 'coordinates', 'object'] as const

const fieldsOf = (event: FileEvent): number =>
  FIELDS.reduce((bits, field, i) => bits | (event[field] === undefined ? 0 : 1 << i), 0)

export function createNames(): MergedRows {
  const last = new Map<string, NamedRow>()
  return {
    add: (event, index) => {
      const [name, fields] = [nameOf(event), fieldsOf(event)]
      const before = last.get(name)
      const lost = FIELDS.filter((_, i) => before !== undefined && (before.fields & ~fields & (1 << i)) !== 0)
      if (lost.length > 0)
        return {
          fault: `an earlier row has the key ${JSON.stringify(event.external_id)} and "${lost.join('", "')}", which this row lacks: add the value, or load the files one after the other`,
        }
      const { category, coordinates } = event
      const entry: NamedRow = { index, fields, category, isPlaceless: coordinates === null, fate: null }
      last.set(name, entry)
      return { entry, before }
    },
    isLast: (event, index) => last.get(nameOf(event))?.index === index,
    entries: () => last.values(),
  }
}
