import { EVENT } from '../../src/model/event.ts'
import { storedIn } from '../../src/model/rows.ts'
import type { FileEvent } from '../read/event.ts'
import type { Verdict } from './target.ts'

/** The last row with a certain external id. */
export interface NamedRow {
  /** The number of the row among all records. */
  readonly index: number
  /** The fields that the row has. */
  readonly fields: number
  readonly category: string | undefined
  readonly isPlaceless: boolean
  /** Null before the comparison with the target. */
  verdict: Verdict | null
  /** The id of the stored event that the row changes, if any. */
  storedId: number | null
}

/** The fault of an event without an external id. */
export const NAMELESS = 'the column of --key-column is empty: enter the id of the event at its source'

/** Returns the name of an event: its series and its external id. */
export const nameOf = ({ series, external_id }: Pick<FileEvent, 'series' | 'external_id'>): string =>
  `${series} ${external_id}`

/** The fields that a row may lack. */
const FIELDS = storedIn(EVENT).flatMap(({ name, body }) =>
  body === undefined || name === 'series' || name === 'external_id' ? [] : [name],
)

/** Returns one bit for each field that the event has. */
const fieldsOf = (event: Readonly<Record<string, unknown>>): number =>
  FIELDS.reduce((bits, field, i) => bits | (event[field] === undefined ? 0 : 1 << i), 0)

/** Merges rows with the same external id. The last row counts. */
export function createNames() {
  const last = new Map<string, NamedRow>()
  return {
    /** Adds a row. Returns its entry and the row that it replaces, or the reason of a fault. */
    add: (event: FileEvent, index: number) => {
      const [name, fields] = [nameOf(event), fieldsOf(event)]
      const before = last.get(name)
      const lost = FIELDS.filter((_, i) => before !== undefined && (before.fields & ~fields & (1 << i)) !== 0)
      if (lost.length > 0)
        return {
          fault: `an earlier row has the key ${JSON.stringify(event.external_id)} and "${lost.join('", "')}", which this row lacks: add the value, or load the files one after the other`,
        }
      const { category, coordinates } = event
      const empty = { isPlaceless: coordinates === null, verdict: null, storedId: null }
      const entry: NamedRow = { index, fields, category, ...empty }
      last.set(name, entry)
      return { entry, before }
    },
    isLast: (event: FileEvent, index: number): boolean => last.get(nameOf(event))?.index === index,
    entries: () => last.values(),
  }
}
