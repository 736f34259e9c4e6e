import type { FileEvent } from '../read/event.ts'
import { CHANGEABLE, type Sketch } from './sketch.ts'
import type { Verdict } from './target.ts'

/** The last row with a certain external id. */
export interface KeyedRow {
  readonly index: number
  /** The fields that the row has, as bits. */
  readonly fields: number
  readonly category: string | undefined
  readonly isPlaceless: boolean
  /** Null before the comparison with the target. */
  verdict: Verdict | null
  /** The stored event with the external id. Undefined: there is none, or it is not looked up yet. */
  sketch: Sketch | undefined
}

/** Returns the name of an event: its series and its external id. */
export const nameOf = ({ series, external_id }: Pick<FileEvent, 'series' | 'external_id'>): string =>
  `${series} ${external_id}`

const fieldsOf = (event: Readonly<Record<string, unknown>>): number =>
  CHANGEABLE.reduce((bits, field, i) => bits | (event[field] === undefined ? 0 : 1 << i), 0)

/** Merges rows with the same external id. The last row counts. */
export function createNames() {
  const last = new Map<string, KeyedRow>()
  return {
    /** Adds a row. Returns its entry and the row that it replaces, or the reason of a fault. */
    add: (event: FileEvent, index: number) => {
      const { external_id, category, coordinates } = event
      if (!external_id) return { fault: 'the column of --key-column is empty: enter the id of the event at its source' }
      const [name, fields] = [nameOf(event), fieldsOf(event)]
      const before = last.get(name)
      const lost = CHANGEABLE.filter((_, i) => before !== undefined && (before.fields & ~fields & (1 << i)) !== 0)
      if (lost.length > 0)
        return {
          fault: `an earlier row has the key ${JSON.stringify(external_id)} and "${lost.join('", "')}", which this row lacks: add the value, or load the files one after the other`,
        }
      const [isPlaceless, sketch] = [coordinates === null, before?.sketch]
      const entry: KeyedRow = { index, fields, category, isPlaceless, verdict: null, sketch }
      last.set(name, entry)
      return { entry, before }
    },
    lastOf: (event: FileEvent): KeyedRow | undefined => last.get(nameOf(event)),
  }
}

/** A set of integers from 0. It needs little memory if they are close together: 32 neighbours share one entry. */
export function createNumbers() {
  const blocks = new Map<number, number>()
  let count = 0
  /** Adds or removes a number. Returns true if that changed the set. */
  const put = (number: number, isIn: boolean): boolean => {
    const [key, bit] = [Math.floor(number / 32), 1 << (number % 32)]
    const block = blocks.get(key) ?? 0
    if (((block & bit) !== 0) === isIn) return false
    blocks.set(key, block ^ bit)
    count += isIn ? 1 : -1
    return true
  }
  return {
    count: (): number => count,
    has: (number: number): boolean => ((blocks.get(Math.floor(number / 32)) ?? 0) & (1 << (number % 32))) !== 0,
    /** Returns true if the number was not in the set. */
    add: (number: number): boolean => put(number, true),
    /** Returns true if the number was in the set. */
    delete: (number: number): boolean => put(number, false),
  }
}
