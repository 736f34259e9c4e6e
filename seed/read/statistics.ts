import { oneLine } from '../load/error.ts'
import { decimalHint, POINTS, plainNumberIn } from './decimal.ts'
import type { FileEvent, Item } from './event.ts'
import { asArgument, missingHint } from './missing.ts'

const [MAX_COLUMNS, MAX_NAMES, MAX_EXAMPLES] = [50, 20, 3]
const MAX_LENGTH = 40 // characters of an example

/** What a column or a member has. */
interface Content {
  readonly counts: Map<Kind, number>
  /** Some of its texts. */
  readonly examples: Set<string>
  /** True: a cell of CSV, whose numbers have the decimal mark of the file. */
  readonly isCell: boolean
}

const KINDS = ['number', 'text', 'boolean', 'list', 'object'] as const
type Kind = (typeof KINDS)[number]

function kindOf(value: unknown): Kind {
  if (typeof value === 'string') return 'text'
  if (typeof value === 'number' || typeof value === 'boolean') return typeof value === 'number' ? 'number' : 'boolean'
  return Array.isArray(value) ? 'list' : 'object'
}

/** Statistics of the columns and members of files, for the report of a load. They grow while a file is read. */
export class ColumnStatistics {
  /** Sentences about what was guessed. */
  readonly guesses = new Set<string>()
  /** The form of a table and the columns of its fields, as options would name them. */
  readonly found = new Map<string, string>()
  /** Names in the files that are not fields of an event. */
  readonly unread = new Set<string>()
  /** Names of columns that an earlier column has. */
  readonly repeated = new Set<string>()
  /** The names of attributes, by other names in the files. */
  readonly renamed = new Map<string, string>()
  readonly #contents = new Map<string, Content>()
  readonly #times = new Map<string, number>()

  /** Counts the value and the attributes of an event that was read from an item. */
  add({ value, attributes }: FileEvent, { isNumber }: Item): void {
    const isCell = isNumber !== undefined
    if (value)
      this.#count('Value', value, (isNumber?.() ?? plainNumberIn(value, POINTS) !== null) ? 'number' : 'text', isCell)
    for (const [name, each] of Object.entries(attributes ?? {}))
      if (each !== null && each !== '') this.#count(`Attribute ${oneLine(name)}`, each, kindOf(each), isCell)
  }

  /** Counts a time that is not obvious. A whole sentence is told without a number. */
  note(kind: string): void {
    this.#times.set(kind, (this.#times.get(kind) ?? 0) + 1)
  }

  #count(column: string, value: unknown, kind: Kind, isCell: boolean): void {
    let content = this.#contents.get(column)
    if (content === undefined) {
      if (this.#contents.size === MAX_COLUMNS) return
      content = { counts: new Map(), examples: new Set(), isCell }
      this.#contents.set(column, content)
    }
    content.counts.set(kind, (content.counts.get(kind) ?? 0) + 1)
    if (kind === 'text' && content.examples.size <= MAX_EXAMPLES) content.examples.add(String(value))
  }

  lines(): string[] {
    const renamed = Array.from(this.renamed, ([name, given]) => `${JSON.stringify(name)} is ${given}`)
    const listed = (title: string, names: Iterable<string>) => {
      const all = [...names]
      return all.length > 0 ? [`${title}: ${listOf(all, MAX_NAMES)}`] : []
    }
    const unread = [...this.unread].filter((name) => name !== '')
    return [
      ...this.guesses,
      ...Array.from(this.#times, ([kind, count]) => (kind.endsWith('.') ? kind : `${kind}: ${count}`)),
      ...Array.from(this.#contents, ([column, content]) => `${column}: ${textOf(content)}`),
      ...listed('Attributes with names for filters', renamed),
      ...listed('Not loaded, because an event has no such field', unread.map(oneLine)).map(
        (line) => `${line}. To load ${unread.length === 1 ? 'it' : 'them'}, add --attributes ${attributesOf(unread)}`,
      ),
      ...listed('Not loaded, because an earlier column has the name', Array.from(this.repeated, oneLine)),
    ]
  }
}

/** Returns the value of `--attributes` for these names. Commas separate them. */
const attributesOf = (names: readonly string[]): string =>
  names.length > MAX_NAMES || names.some((name) => name.includes(',')) ? "'*'" : asArgument(oneLine(names.join(',')))

function textOf({ counts, examples, isCell }: Content): string {
  const shown = Array.from(examples, (text) =>
    JSON.stringify(text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}...` : text),
  )
  const parts = KINDS.flatMap((kind) => {
    const count = counts.get(kind) ?? 0
    const texts = kind === 'text' ? ` (${listOf(shown, MAX_EXAMPLES)})` : ''
    return count > 0 ? [counted(count, kind) + texts] : []
  })
  const hint = isCell ? decimalHint([...examples], !counts.has('number')) : ''
  return parts.join(', ') + hint + (counts.has('number') ? missingHint([...examples]) : '')
}

/** Writes a number and a noun: `1 event`, `2 events`. */
export const counted = (number: number, noun: string): string => `${number} ${noun}${number === 1 ? '' : 's'}`

export const listOf = (names: readonly string[], most: number): string =>
  names.length > most ? `${names.slice(0, most).join(', ')}, ...` : names.join(', ')
