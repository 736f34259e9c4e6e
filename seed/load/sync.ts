import type { SeriesRecord } from '../../src/store/records.ts'
import { counted } from '../read/statistics.ts'
import type { Check } from './check.ts'
import { shown } from './error.ts'
import { idIn } from './sketch.ts'
import type { StoredName } from './target.ts'

/** A load may delete this part of the stored events of a series without `--allow-deletions`. */
const MOST = 0.1

/** The stored events that a load deletes, because the files do not have them. */
export interface Deletions {
  /** The events by their series. */
  readonly events: ReadonlyMap<number, readonly StoredName[]>
  readonly count: number
  /** The number of those without an external id, which no file can name. */
  readonly keyless: number
  /** The reason why nothing is deleted, although the rows are stored. Null: there is none. */
  readonly kept: string | null
  /** The reason why the files may not be loaded, and the option to add. Null: they may. */
  readonly refusal: string | null
}

export const NO_DELETIONS: Deletions = { events: new Map(), count: 0, keyless: 0, kept: null, refusal: null }

/**
 * Finds the stored events that no row names. It keeps the events of faulty rows. If a faulty row has no external id, it
 * may mean any event, so none is deleted. `allowed` is the number of `--allow-deletions`.
 */
export function deletionsOf(check: Check, all: readonly SeriesRecord[], allowed: number | undefined): Deletions {
  const events = new Map<number, StoredName[]>()
  let large = ''
  for (const [series, unnamed] of check.unnamed) {
    if (unnamed === null) continue
    const gone = [...unnamed.left].filter(([key]) => typeof key === 'number' || !check.faultyKeys.has(key))
    const nameOf = (key: string | number) => (typeof key === 'string' ? key : null)
    const named = gone.map(([key, sketch]) => ({ id: idIn(sketch), external_id: nameOf(key) }))
    events.set(series, named)
    const name = shown(all.find(({ id }) => id === series)?.name ?? '')
    if (gone.length > MOST * unnamed.total)
      large ||= `${gone.length} of the ${counted(unnamed.total, 'stored event')} of ${name}, more than a tenth`
  }
  const gone = [...events.values()].flat()
  const [count, keyless] = [gone.length, gone.filter(({ external_id }) => external_id === null).length]
  if (count > 0 && check.keylessAt !== null) {
    const kept = `No event was deleted: ${check.keylessAt} has a fault and no external id that can be read, so it may be any event. Correct it, and load the file again`
    return { ...NO_DELETIONS, kept }
  }
  const isAllowed = allowed === undefined ? large === '' : count <= allowed
  const limit = allowed === undefined ? large : `${counted(count, 'event')}, more than --allow-deletions ${allowed}`
  const others = keyless > 0 ? ` ${counted(keyless, 'event')} of them without an external id.` : ''
  const refusal = `--sync would delete ${limit}.${others} Is the file complete? If so, use --allow-deletions ${count}`
  return { events, count, keyless, kept: null, refusal: isAllowed ? null : refusal }
}
