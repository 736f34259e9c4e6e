import { at } from '../base/collections.ts'
import { orUndefined, ValueError, valueError } from '../base/errors.ts'
import { hexDigit } from '../base/hex.ts'
import { toLonLat } from './crs.ts'
import { readGeoJson } from './geojson.ts'
import { checkShape, type Geometry, type ParsedGeometry, quote } from './geometry.ts'
import { readWkb } from './wkb.ts'
import { readWkt } from './wkt.ts'

/** A text format for geometries. It has a pattern for its start and a reader. */
type Form = { name: string; example: string; start: RegExp; read: (text: string) => ParsedGeometry }

/**
 * Parses a geometry in one of the FORMS or as WKB bytes. Returns it in longitude and latitude (EPSG:4326) without z and
 * m. Takes raw bytes, because WKB is not UTF-8. Throws ValueError with the place of the fault. Characters, parts and
 * members count from 1, bytes from 0. Takes time linear in the bytes.
 */
export const parseGeometry = (bytes: Uint8Array): Geometry => {
  const { geometry, srid } = read(bytes)
  return toLonLat(checkShape(geometry), srid)
}

// The starts of these forms differ. WKB begins with the byte 0 or 1, which is 00 or 01 in hex and A in base64. No WKT
// keyword begins with A.
const FORMS: readonly Form[] = [
  { name: 'GeoJSON', example: '{"type":"Point","coordinates":[5.1,52.1]}', start: /^\s*\{/, read: readGeoJson },
  {
    name: 'hex WKB',
    example: '010100000000000000000014400000000000004A40',
    start: /^\s*0[01]/,
    read: (text) => readWkb(fromHex(text)),
  },
  {
    name: 'base64 WKB',
    example: 'AQEAAAAAAAAAAAAUQAAAAAAAAEpA',
    start: /^\s*A[A-Za-f](?!.*\()/,
    read: (text) => readWkb(fromBase64(text)),
  },
  { name: 'WKT', example: 'POINT (5.1 52.1) or SRID=28992;POINT (155000 463000)', start: /^\s*[a-z]/i, read: readWkt },
]

const read = (bytes: Uint8Array): ParsedGeometry => {
  const first = bytes[0]
  if (first === 0 || first === 1) return readWkb(bytes)
  // Bytes that are not UTF-8 become an empty text, which has no form.
  const text = orUndefined(() => new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)) ?? ''
  const form = FORMS.find((each) => each.start.test(text))
  if (form !== undefined) return form.read(text)
  const forms = FORMS.map((each) => `${each.name} such as ${each.example}`).join('; ')
  throw valueError(['noGeometry', forms])
}

const fromHex = (text: string): Uint8Array => {
  const digits = text.trim()
  const bytes = new Uint8Array((digits.length + 1) >> 1)
  for (let i = 0; i < digits.length; i += 1) {
    const value = hexDigit(digits.charCodeAt(i))
    if (value < 0) {
      const place = `at character ${text.indexOf(digits) + i + 1}`
      throw new ValueError(`${place}: expected a hexadecimal digit, found ${quote(digits.slice(i, i + 1))}`)
    }
    bytes[i >> 1] = (at(bytes, i >> 1) << 4) | value
  }
  if (digits.length % 2 === 0) return bytes
  throw new ValueError(
    `hex WKB needs two digits for each byte; this text ends after one digit, at character ${text.length}`,
  )
}

// A '+' of base64 arrives as a space if the client did not percent-encode it. At the end there may be spaces around the
// value. A space there becomes a '+' only if the last group of four needs it.
const fromBase64 = (text: string): Uint8Array => {
  const odd = text.search(/[^\w+/=\s-]/)
  if (odd >= 0) throw new ValueError(`at character ${odd + 1}: ${quote(text.slice(odd, odd + 1))} is not base64`)
  const body = text.replace(/[\t-\r]/g, '').trimStart()
  const bare = body.trimEnd()
  const digits = bare.endsWith('=') ? bare : body.slice(0, Math.ceil(bare.length / 4) * 4)
  const standard = digits.replace(/[ _-]/g, (each) => (each === '_' ? '/' : '+'))
  const decoded = orUndefined(() => atob(standard))
  if (decoded === undefined)
    throw new ValueError('the base64 is not complete; enter four characters for every three bytes of WKB')
  return Uint8Array.from(decoded, (character) => character.charCodeAt(0))
}
