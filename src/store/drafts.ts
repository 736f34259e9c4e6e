import { EVENT } from '../model/event.ts'
import { defaultsOf } from '../model/rows.ts'
import type { EventRecord } from '../model/types.ts'

type Reference = NonNullable<EventRecord['object']>

/**
 * The parts of an event that a body or a row of a file gives. An absent member was not given. Null clears a member. If
 * the end is null, the event ends when it starts.
 */
export type EventDraft = Partial<Omit<EventRecord, 'id' | 'end'>> & {
  readonly end?: number | null
  /** The two parts of `object`, if they are separate members. */
  readonly model?: Reference['model'] | null
  readonly object_id?: Reference['id'] | null
}

/** A draft with the members that a new event needs. */
export type NewEventDraft = EventDraft & Pick<EventRecord, 'kind' | 'series' | 'start' | 'coordinates'>

/** Merges a draft into a stored event. Members that the draft omits keep their values. */
export const mergeEvent = (stored: EventRecord, draft: EventDraft): EventRecord => {
  const { model: _, object_id: __, ...changed } = draft
  return { ...stored, ...changed, end: endOf(draft, stored), object: objectOf(draft, stored) }
}

/**
 * Creates a new event from a draft. Texts that the draft omits are empty. If it omits the end, the event ends when it
 * starts.
 */
export const newEvent = (draft: NewEventDraft, id: number): EventRecord => {
  const { kind, series, start, coordinates } = draft
  const whole = { ...DEFAULTS, kind, id, series, start, end: start, coordinates } as EventRecord // no member is missing
  return mergeEvent(whole, draft)
}

const DEFAULTS = defaultsOf(EVENT)

/** Returns the end of a merged event. It moves with a new start if the stored event ended when it started. */
const endOf = ({ start, end }: EventDraft, stored: EventRecord): number => {
  const moved = start ?? stored.start
  if (end !== undefined) return end ?? moved
  return stored.end === stored.start ? moved : stored.end
}

/** Returns the model and the id of a draft's object, merged into a stored event. */
const partsOf = ({ object, model, object_id }: EventDraft, stored: EventRecord | null) => {
  const base = object === undefined ? stored?.object : object
  return {
    model: model === undefined ? (base?.model ?? null) : model,
    id: object_id === undefined ? (base?.id ?? null) : object_id,
  }
}

/** Returns the part that an object lacks, with a message. Null if it has both or neither. */
export const objectFaultIn = (
  draft: EventDraft,
  stored: EventRecord | null,
): [name: string, message: string] | null => {
  const { model, id } = partsOf(draft, stored)
  if ((model === null) === (id === null)) return null
  return [model === null ? 'object_type' : 'object_id', 'Enter object_type and object_id, or neither.']
}

const objectOf = (draft: EventDraft, stored: EventRecord): EventRecord['object'] => {
  const { model, id } = partsOf(draft, stored)
  return model === null || id === null ? null : { model, id }
}
