import { restored } from '../../src/formats/csv.ts'
import { attributeNamed } from '../../src/formats/shown.ts'
import { EVENT } from '../../src/model/event.ts'
import { type NumberForm, plainNumberIn } from './decimal.ts'

/** The names of the members or columns of a file that become attributes. `*`: every member that is no field. */
export type AttributeNames = '*' | readonly string[]

/** The names that `--attributes` gives, separated by commas. */
export const attributeNamesOf = (option: string): AttributeNames =>
  option.trim() === '*' ? '*' : option.split(',').map((name) => name.trim())

/** Tests if a member or a column becomes an attribute. Without `--attributes`, only columns of downloads do. */
export const isAttribute = (names: AttributeNames | undefined, name: string, isField: boolean): boolean =>
  attributeNamed(name) !== null || (names === '*' ? !isField && name !== '' : (names?.includes(name) ?? false))

/**
 * Adds attributes to the field `attributes` of an item, which is `own`. Without attributes the field is empty. An invalid
 * field is unchanged, so the check of the record finds its fault.
 */
export const withAttributes = (own: unknown, others: readonly (readonly [name: string, value: unknown])[]): unknown => {
  const before = own === undefined || own === null || own === '' ? {} : EVENT.attributes.kind.read(own)
  if (before === undefined) return own
  const all = { ...before, ...Object.fromEntries(others) }
  return Object.keys(all).length > 0 ? all : null
}

const BOOLEAN = /^\s*(true|True|TRUE|false|False|FALSE)\s*$/
/** A double keeps so many significant digits. */
const DIGITS = 17
/** A code such as `1E5`. A number with an exponent has a decimal mark or a sign, such as `1.5E5` or `1e+05`. */
const CODE = /^-?\d+e\d+$/i

/** Returns the value of a cell: a number, a boolean or a text. A number that would not give the cell back is a text. */
export const attributeIn = (cell: string, form: NumberForm): unknown => {
  if (BOOLEAN.test(cell)) return cell.trim().toLowerCase() === 'true'
  const text = plainNumberIn(cell, form)
  return text !== null && isExact(text) ? Number(text) : restored(cell)
}

function isExact(text: string): boolean {
  const number = Number(text)
  if (Number.isInteger(number) && !Number.isSafeInteger(number)) return false
  const digits = text
    .replace(/(\.\d*?)?0*(e.*)?$/i, '$1')
    .replace(/[-+.]/g, '')
    .replace(/^0+/, '')
  return Number.isFinite(number) && !CODE.test(text) && digits.length <= DIGITS && (number !== 0 || digits === '')
}

/** A name that filters take: letters and digits, with single underscores between them. */
const FILTERED = /^[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*$/

/**
 * Creates a function that names the attributes of one file. Names that filters take stay. Others get such a name:
 * `Volume (m³)` becomes `Volume_m3`, and `Volume_m3_2` if the file has both. A name without Latin letters and digits
 * stays, because it is worth more to readers than to filters. `renamed` receives the new names.
 */
export function attributeNamer(renamed: Map<string, string>): (names: readonly string[]) => readonly string[] {
  const given = new Map<string, string>()
  const name = (own: string): void => {
    const downloaded = attributeNamed(own)
    if (downloaded !== null) {
      given.set(own, downloaded)
      return
    }
    const first = filteredName(own)
    const taken = new Set(given.values())
    let free = first
    for (let i = 2; taken.has(free); i++) free = `${first}_${i}`
    given.set(own, free)
    if (free !== own) renamed.set(own, free)
  }
  return (names) => {
    const unnamed = names.filter((own) => !given.has(own))
    for (const own of unnamed.filter((own) => FILTERED.test(own))) name(own)
    for (const own of unnamed.filter((own) => !given.has(own))) name(own)
    return names.map((own) => given.get(own) ?? own)
  }
}

function filteredName(own: string): string {
  if (FILTERED.test(own)) return own
  const parts =
    own
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .match(/[A-Za-z0-9]+/g) ?? []
  const name = parts.join('_')
  if (name === '') return own
  return /^\d/.test(name) ? `x${name}` : name
}
