import { orUndefined } from '../../src/base/errors.ts'
import { optionError } from '../load/error.ts'

/** Stands for a character that an encoding lacks. */
const UNKNOWN = Buffer.from('?')

/** The byte order marks at the start of a text, with the encodings that they name. */
const MARKS = [
  ['efbbbf', 'utf-8'],
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
] as const

/** Returns the encoding that the byte order mark of a file names. Undefined: it has no mark. */
export const markedEncoding = (start: Buffer): string | undefined =>
  MARKS.find(([mark]) => start.toString('hex', 0, 3).startsWith(mark))?.[1]

/** Creates a decoder that throws TypeError for wrong bytes. It leaves out a byte order mark. Throws LoadError for an unknown encoding. */
export function decoderOf(encoding: string): TextDecoder {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: false })
  } catch {
    const advice = 'enter the name of an encoding, such as windows-1252, iso-8859-15 or utf-16le'
    throw optionError('--encoding', encoding, advice)
  }
}

/** Returns a function that writes text in an encoding. Without a name, it is UTF-8. */
export function encoderOf(name = 'utf-8'): (text: string) => Buffer {
  const decoder = decoderOf(name)
  if (decoder.encoding === 'utf-8') return (text) => Buffer.from(text)
  if (decoder.encoding === 'utf-16le') return (text) => Buffer.from(text, 'utf16le')
  if (decoder.encoding === 'utf-16be') return (text) => Buffer.from(text, 'utf16le').swap16()
  const bytesOf = tableOf(decoder)
  return (text) => Buffer.concat(Array.from(text, (character) => bytesOf.get(character) ?? UNKNOWN))
}

/** Returns the bytes of each character. Node has no encoders, so this asks the decoder for all sequences. */
function tableOf(decoder: TextDecoder): Map<string, Buffer> {
  const table = new Map<string, Buffer>()
  /** Returns false if the bytes are no character, but perhaps the start of one. */
  const add = (...bytes: number[]): boolean => {
    const buffer = Buffer.from(bytes)
    const text = orUndefined(() => decoder.decode(buffer))
    if (text !== undefined && !table.has(text)) table.set(text, buffer)
    return text !== undefined
  }
  for (let first = 0; first < 256; first++)
    if (!add(first)) for (let second = 0x40; second < 256; second++) add(first, second)
  return table
}
