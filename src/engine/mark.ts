import { ValueError } from '../base/errors.ts'
import { bytesOfHex, hexOf } from '../base/hex.ts'
import { formatState, type State } from './state.ts'

/**
 * A mark names a place in the changes of a database, for one access level. It shows the state of the level at that place. The
 * place is sealed, because it would show how much others write.
 */
export interface Mark {
  readonly text: string
  /** The state and the level. The seal protects them from changes. */
  readonly bound: string
  readonly sealed: string
}

const FORM = /^c1\.(\d{1,16}-[0-9a-z]{1,11}-\d{1,3})\.((?:[0-9a-f]{2}){29,200})$/

/** Reads a mark. Throws a ValueError for a text that is none. */
export const readMark = (text: string): Mark => {
  const [, bound, sealed] = FORM.exec(text.trim()) ?? []
  if (bound === undefined || sealed === undefined)
    throw new ValueError('Enter the mark of an earlier answer, or leave it out to get the mark of now.')
  return { text: text.trim(), bound, sealed }
}

/** Writes the state of a level for a mark. */
export const boundOf = (state: State, level: number): string => `${formatState(state)}-${level}`

/** Tests if a level still has the state of a mark. Then nothing has changed for its callers. */
export const isAt = ({ bound }: Mark, state: State, level: number): boolean => bound === boundOf(state, level)

const cipherOf = (bound: string, iv: Uint8Array<ArrayBuffer>) => ({
  name: 'AES-GCM',
  iv,
  additionalData: new TextEncoder().encode(bound),
})

/** The bytes of the random start of a sealed place. */
const IV_BYTES = 12

const keyOf = (hex: string): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', bytesOfHex(hex), 'AES-GCM', false, ['encrypt', 'decrypt'])

/**
 * Writes the mark of a place. `key` has 64 hexadecimal digits. If more changes follow, `bound` has an earlier state, so the
 * next request reads them.
 */
export const markOf = async (key: string, place: object, bound: string): Promise<string> => {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
  const text = new TextEncoder().encode(JSON.stringify(place))
  const sealed = await crypto.subtle.encrypt(cipherOf(bound, iv), await keyOf(key), text)
  return `c1.${bound}.${hexOf(iv)}${hexOf(new Uint8Array(sealed))}`
}

/** Returns the place of a mark. Null: it was made with another key, or for another level. */
export const placeIn = async (key: string, { bound, sealed }: Mark, level: number): Promise<unknown> => {
  if (!bound.endsWith(`-${level}`)) return null
  const bytes = bytesOfHex(sealed)
  const cipher = cipherOf(bound, bytes.slice(0, IV_BYTES))
  try {
    const text = await crypto.subtle.decrypt(cipher, await keyOf(key), bytes.slice(IV_BYTES))
    return JSON.parse(new TextDecoder().decode(text))
  } catch {
    return null
  }
}
