/** The value of a hexadecimal digit by its character code, in either case; -1 for any other character. */
export const hexDigit = (code: number): number => {
  if (code >= 48 && code <= 57) return code - 48
  const lower = code | 0x20
  return lower >= 97 && lower <= 102 ? lower - 87 : -1
}

/** The SHA-256 of a text in UTF-8, or of bytes. */
export const sha256 = async (data: string | ArrayBuffer): Promise<Uint8Array> => {
  const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

/** The same in hexadecimal. */
export const sha256Hex = async (data: string | ArrayBuffer): Promise<string> =>
  Array.from(await sha256(data), (byte) => byte.toString(16).padStart(2, '0')).join('')
