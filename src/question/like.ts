import { at } from '../base/collections.ts'

/** The characters of a pattern between two `%`. Null is a `_`. */
type Part = readonly (string | null)[]

/** Splits a pattern of `like` at its `%` signs. A pattern without them has one part. It reads several `%` in a row as one. */
export const patternParts = (pattern: string): readonly Part[] => {
  const parts: (string | null)[][] = [[]]
  for (const [character] of pattern.matchAll(/\\.|./gsu)) {
    if (character === '%') parts.push([])
    else at(parts, -1).push(character === '_' ? null : character.replace(/^\\(?=.)/su, ''))
  }
  return parts.filter(({ length }, i) => length > 0 || i === 0 || i === parts.length - 1)
}

/** Compares a whole text with a pattern of `like`. */
export const isLikePattern = (text: string, pattern: string): boolean => {
  const characters = [...text]
  const [first = [], ...others] = patternParts(pattern)
  const last = others.pop()
  const isAt = (part: Part, place: number) =>
    part.every((each, i) => place + i < characters.length && (each === null || each === characters[place + i]))
  if (last === undefined) return first.length === characters.length && isAt(first, 0)
  let place = isAt(first, 0) ? first.length : characters.length + 1
  for (const part of others) {
    while (place < characters.length && !isAt(part, place)) place++
    place += part.length
  }
  const end = characters.length - last.length
  return place <= end && isAt(last, end)
}
