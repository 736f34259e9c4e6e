import { ValueError } from '../errors.ts'

export type DecimalMark = '.' | ','

/** Returns the decimal mark of a language by its tag (BCP 47). Throws a ValueError for an unknown language. */
export const decimalMarkIn = (text: string): DecimalMark => {
  const tag = text.trim()
  if (!isKnown(tag)) throw new ValueError('Enter the tag of a language, such as locale=nl or locale=en-GB.')
  const parts = new Intl.NumberFormat(tag, { numberingSystem: 'latn' }).formatToParts(0.5)
  return parts.some(({ type, value }) => type === 'decimal' && value === ',') ? ',' : '.'
}

const isKnown = (tag: string): boolean => {
  try {
    return Intl.NumberFormat.supportedLocalesOf([tag]).length > 0
  } catch {
    return false // A RangeError: the text is no tag.
  }
}
