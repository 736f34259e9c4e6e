import { restored } from '../../src/formats/csv.ts'
import { EVENT } from '../../src/model/event.ts'

/** The names of the members or columns of a file that become attributes. `*`: every member that is no field. */
export type AttributeNames = '*' | readonly string[]

/** The names that `--attributes` gives, separated by commas. */
export const attributeNamesOf = (option: string): AttributeNames =>
  option.trim() === '*' ? '*' : option.split(',').map((name) => name.trim())

/** Tests if a member or a column becomes an attribute. Without `--attributes`, none does. */
export const isAttribute = (names: AttributeNames | undefined, name: string, isField: boolean): boolean =>
  names === '*' ? !isField && name !== '' : (names?.includes(name) ?? false)

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

/** A number as JSON writes it. A text such as `007` is none. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/

/** Returns the value of a cell: a number, a boolean or a text. An integer that a double cannot hold is a text. */
export const attributeIn = (cell: string): unknown => {
  if (cell === 'true' || cell === 'false') return cell === 'true'
  const number = NUMBER.test(cell) ? Number(cell) : Number.NaN
  const isExact = Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))
  return isExact ? number : restored(cell)
}
