import { decimalHint, plainNumberIn } from './decimal.ts'
import type { FileEvent, Item } from './event.ts'

const [MAX_COLUMNS, MAX_NAMES, MAX_EXAMPLES] = [50, 20, 3]
const MAX_LENGTH = 40 // characters of an example

/** What a column or a member has, apart from booleans, lists and objects. */
interface Content {
  numbers: number
  texts: number
  readonly examples: Set<string>
  /** True: a cell of CSV, whose numbers have the decimal mark of the file. */
  readonly isCell: boolean
}

/** Statistics of the columns and members of files, for the report of a load. They grow while a file is read. */
export class ColumnStatistics {
  /** Names in the files that are not fields of an event. */
  readonly unread = new Set<string>()
  /** The names of attributes, by other names in the files. */
  readonly renamed = new Map<string, string>()
  readonly #contents = new Map<string, Content>()

  /** Counts the value and the attributes of an event that was read from an item. */
  add({ value, attributes }: FileEvent, { isNumber }: Item): void {
    const isCell = isNumber !== undefined
    if (value) this.#count('Value', value, isNumber?.() ?? plainNumberIn(value, '.') !== null, isCell)
    for (const [name, each] of Object.entries(attributes ?? {}))
      if (typeof each === 'number' || (typeof each === 'string' && each !== ''))
        this.#count(`Attribute ${name}`, String(each), typeof each === 'number', isCell)
  }

  #count(column: string, text: string, isNumber: boolean, isCell: boolean): void {
    let content = this.#contents.get(column)
    if (content === undefined) {
      if (this.#contents.size === MAX_COLUMNS) return
      content = { numbers: 0, texts: 0, examples: new Set(), isCell }
      this.#contents.set(column, content)
    }
    content[isNumber ? 'numbers' : 'texts'] += 1
    if (!isNumber && content.examples.size <= MAX_EXAMPLES) content.examples.add(text)
  }

  lines(): string[] {
    const renamed = Array.from(this.renamed, ([name, given]) => `${JSON.stringify(name)} is ${given}`)
    return [
      ...Array.from(this.#contents, ([column, content]) => `${column}: ${textOf(content)}`),
      ...(renamed.length > 0 ? [`Attributes with names for filters: ${listOf(renamed, MAX_NAMES)}`] : []),
      ...(this.unread.size > 0
        ? [`Not loaded, because an event has no such field: ${listOf([...this.unread], MAX_NAMES)}`]
        : []),
    ]
  }
}

function textOf({ numbers, texts, examples, isCell }: Content): string {
  const shown = Array.from(examples, (text) =>
    JSON.stringify(text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}...` : text),
  )
  const parts = [
    ...(numbers > 0 ? [counted(numbers, 'number')] : []),
    ...(texts > 0 ? [`${counted(texts, 'text')} (${listOf(shown, MAX_EXAMPLES)})`] : []),
  ]
  return parts.join(', ') + (isCell && numbers === 0 ? decimalHint([...examples]) : '')
}

/** Writes a number and a noun: `1 event`, `2 events`. */
export const counted = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

export const listOf = (names: readonly string[], most: number): string =>
  names.length > most ? `${names.slice(0, most).join(', ')}, ...` : names.join(', ')
