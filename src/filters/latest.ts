import { ValueError } from '../errors.ts'
import type { CountedDictionary, Filter } from './filter.ts'
import { bare } from './scalar.ts'

/**
 * Returns a filter for the row of each dictionary entry that starts last, among the rows that meet all other conditions.
 * Its value is the name of a dictionary.
 */
export const latest = (dictionaries: Readonly<Record<string, CountedDictionary>>): Filter => {
  const names = Object.keys(dictionaries)
  const read = (text: string) => {
    const name = names.find((each) => each === text.trim())
    const of = name && dictionaries[name]
    if (!of) throw new ValueError(`Enter ${names.join(' or ')}.`)
    return { kind: 'latest', of } as const
  }
  return {
    ...bare('latest', { type: 'string', enum: names }, read),
    asks: 'starts last among all that match and have the same value in this field. If several do, it has the greatest id',
    choices: names,
  }
}
