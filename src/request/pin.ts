import { statePassed, ValueError } from '../errors.ts'
import type { Described } from '../model/schema.ts'
import { isSame, NO_STATE, parseState, type State } from '../state.ts'
import { CODE } from './code.ts'

/** The parameter that pins an address to a state of the data. Its answer never changes, so browsers keep it. */
export const STATE = 'state' as const

export const STATE_PARAMETER: Described = {
  description:
    'The only state of the data that the answer may show: the first two parts of an ETag, such as 12-mb2k0x9f. Caches may keep the answer for a year. If the data has another state, it is a 409.',
  schema: { type: 'string' },
}

/** Names the code in the addresses of the page: other code may answer differently in one state. Absent in tests. */
export const CODE_NAME = CODE?.slice(0, 8)

/** Reads a state, and perhaps the name of the code. Other code has no state in common with this one. */
export const pinIn = (text: string): State => {
  const [, named = '', code = CODE_NAME] = /^(\d+(?:\.\d+)?-[0-9a-z]+)(?:-([0-9a-f]{8}))?$/.exec(text) ?? []
  const state = parseState(named)
  if (state === null)
    throw new ValueError('Enter the first two parts of an ETag, such as 12-mb2k0x9f, or leave state out.')
  return code === CODE_NAME ? state : NO_STATE
}

/** Throws a 409 unless the data has the pinned state. Two states without a time may look equal, so none is kept. */
export const refusePassed = (pin: State, state: State | null): void => {
  if (pin.changed === 0 || !isSame(pin, state)) throw statePassed()
}
