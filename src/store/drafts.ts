import { EVENT, type EventRecord } from '../model/event.ts'
import { defaultsOf } from '../model/rows.ts'

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
  const whole = { ...DEFAULTS, kind, id, series, start, end: start, coordinates } as EventRecord
  return mergeEvent(whole, draft)
}

const DEFAULTS = defaultsOf(EVENT)

/** Returns the end of a merged event. It moves with a new start if the stored event ended when it started. */
const endOf = ({ start, end }: EventDraft, stored: EventRecord): number => {
  const moved = start ?? stored.start
  if (end !== undefined) return end ?? moved
  return stored.end === stored.start ? moved : stored.end
}

/**
 * Returns the model and the id of a draft's object, merged into a stored event. If only one of them is null, the object
 * is incomplete.
 */
export const objectPartsOf = ({ object, model, object_id }: EventDraft, stored: Pick<EventRecord, 'object'>) => {
  const base = object === undefined ? stored.object : object
  return {
    model: model === undefined ? (base?.model ?? null) : model,
    id: object_id === undefined ? (base?.id ?? null) : object_id,
  }
}

const objectOf = (draft: EventDraft, stored: EventRecord): EventRecord['object'] => {
  const { model, id } = objectPartsOf(draft, stored)
  return model === null || id === null ? null : { model, id }
}
