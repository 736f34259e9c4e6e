/**
 * Of the data: the number that every write raises, and when it last did, in milliseconds since 1970. A database that is
 * made anew or restored comes to the same numbers, but not at the same times.
 */
export interface State {
  readonly revision: number
  readonly changed: number
}

/** A state as a text, as entity tags hold it: the number, and the time in base 36. */
export const formatState = ({ revision, changed }: State): string => `${revision}-${changed.toString(36)}`

/** The state of such a text, null where it is none. */
export const parseState = (text: string): State | null => {
  const [, number = '', time = ''] = /^(\d{1,16})-([0-9a-z]{1,11})$/.exec(text) ?? []
  const state = { revision: Number(number), changed: Number.parseInt(time, 36) }
  return formatState(state) === text ? state : null
}

/** Whether two states are one: a database made anew may come to the same revision, but not at the same time. */
export const isSame = (a: State | null, b: State | null): boolean =>
  a !== null && a.revision === b?.revision && a.changed === b.changed
