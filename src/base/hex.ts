/** Returns the value of a hexadecimal digit in either case, by its character code. -1 for any other character. */
export const hexDigit = (code: number): number => {
  if (code >= 48 && code <= 57) return code - 48
  const lower = code | 0x20
  return lower >= 97 && lower <= 102 ? lower - 87 : -1
}

export const hexOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Returns the bytes that hexadecimal digits write, two for each byte. */
export const bytesOfHex = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from({ length: text.length / 2 }, (_, i) => Number.parseInt(text.slice(2 * i, 2 * i + 2), 16))

/** Returns the SHA-256 digest of bytes, or of a text in UTF-8, in hexadecimal. */
export const sha256Hex = async (data: string | ArrayBuffer): Promise<string> => {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data
  return hexOf(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}
