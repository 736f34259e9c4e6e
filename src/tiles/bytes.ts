/** Writes the fields of a Protocol Buffers message. */
export interface Message {
  /** The value is an integer, 0 or greater. */
  readonly number: (field: number, value: number) => void
  readonly double: (field: number, value: number) => void
  readonly text: (field: number, value: string) => void
  /** The values are integers, 0 or greater. They form one packed field. */
  readonly packed: (field: number, values: readonly number[]) => void
  readonly message: (field: number, write: (message: Message) => void) => void
}

const encoder = new TextEncoder()
const [VARINT, FIXED64, DELIMITED] = [0, 1, 2]

/** Returns the bytes of the message that `write` writes. */
export const messageOf = (write: (message: Message) => void): Uint8Array<ArrayBuffer> => {
  let bytes = new Uint8Array(256)
  let length = 0
  const reserve = (more: number): void => {
    if (length + more <= bytes.length) return
    const larger = new Uint8Array(Math.max(2 * bytes.length, length + more))
    larger.set(bytes)
    bytes = larger
  }
  // Bit operators stop at 32 bits, and this has to work up to 2^53.
  const varint = (value: number): void => {
    reserve(10)
    let rest = value
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes[length++] = (rest % 0x80) | 0x80
    bytes[length++] = rest
  }
  const key = (field: number, type: number): void => varint(field * 8 + type)
  const delimited = (field: number, content: Uint8Array): void => {
    key(field, DELIMITED)
    varint(content.length)
    reserve(content.length)
    bytes.set(content, length)
    length += content.length
  }
  write({
    number: (field, value) => {
      key(field, VARINT)
      varint(value)
    },
    double: (field, value) => {
      key(field, FIXED64)
      reserve(8)
      new DataView(bytes.buffer).setFloat64(length, value, true)
      length += 8
    },
    text: (field, value) => delimited(field, encoder.encode(value)),
    packed: (field, values) => {
      key(field, DELIMITED)
      varint(values.reduce((sum, value) => sum + sizeOf(value), 0))
      for (const value of values) varint(value)
    },
    message: (field, inner) => delimited(field, messageOf(inner)),
  })
  return bytes.slice(0, length)
}

/** Returns the number of bytes of a varint. */
const sizeOf = (value: number): number => {
  let size = 1
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++
  return size
}

/** Encodes a signed integer as an unsigned one: 0, -1, 1, -2 become 0, 1, 2, 3. */
export const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value)
