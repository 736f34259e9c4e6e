import type { Control } from '../model/controls.ts'
import type { DescribedField as Described } from '../model/types.ts'

/** A field of a list for people, or an attribute. */
export interface Field extends Control {
  /** True: the series has a title for it, or it is an attribute. */
  readonly isOwn?: boolean
  /** The digits behind the mark that all numbers of the column have. Null: its values are no numbers. */
  readonly decimals?: number | null
}

type Label = Field['label']

/** What a table shows of a column in the description of a series. */
export type DescribedField = Pick<Described, 'name' | 'title' | 'unit'>

/** The values of an item by the names of its fields. */
export type Values = Readonly<Record<string, unknown>>

/** A column. Attributes have columns of their own, which are named as their filters, such as `attributes__wind`. */
export interface Column extends Field {
  readonly unit: string | null
  readonly isOwn: boolean
  readonly decimals: number | null
  /** The number of rows with a value that fits one line. */
  readonly filled: number
}

/** The rows of a table, and the parts that decide its columns. */
export interface TableParts {
  readonly fields: readonly Field[]
  readonly rows: readonly Values[]
  /** The columns of the series, if the rows belong to one. */
  readonly described: readonly DescribedField[]
  /** The names that the reader chose, in their order. Null: the usual columns. */
  readonly chosen: readonly string[] | null
}

const ATTRIBUTE = 'attributes__'
/** The field of all attributes. The choice of this column means each attribute. */
const ALL = 'attributes'

/** Returns the name of the attribute that a column shows. Null: it shows a field. */
export const attributeIn = (name: string): string | null =>
  name.startsWith(ATTRIBUTE) && name.length > ATTRIBUTE.length ? name.slice(ATTRIBUTE.length) : null

/** The names of attributes that filters and orders take. */
const FILTERED = /^[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*$/

/** Returns the value of an item in a column. Undefined: it has none. */
export const valueIn = (values: Values, name: string): unknown => {
  const attribute = attributeIn(name)
  const found = attribute === null ? values[name] : attributesOf(values)[attribute]
  return found === null || found === '' ? undefined : found
}

export const attributesOf = ({ attributes }: Values): Values => (attributes ?? {}) as Values

/** A text that is a number. A double would change more digits. */
const NUMBER = /^[-+]?(?=[\d.]{1,16}$)\d+(\.\d+)?$/

/** Returns the number of an item in a column. It is null if the item has a text, another value, or none. */
export const numberIn = (values: Values, { name, kind }: Pick<Field, 'name' | 'kind'>): number | null => {
  const value = valueIn(values, name)
  if (name === 'value') return typeof value === 'string' && NUMBER.test(value) ? Number(value) : null
  return typeof value === 'number' && [ONE_ATTRIBUTE, 'duration', 'number'].includes(kind) ? value : null
}

/** The kind of the column of an attribute, which may have any value of JSON. */
export const ONE_ATTRIBUTE = 'attribute'

/** Tests if a column has the name of the series of an event. */
export const isOwner = ({ name }: Pick<Field, 'name'>): boolean => name === 'event_series'

const seriesIn = (rows: readonly Values[]): number => new Set(rows.map((row) => row.event_series)).size

/** More digits behind the mark are noise of a double. They are shown, but other numbers do not get them. */
const MOST_DECIMALS = 6

/** A column has so many values in some rows. */
interface Filled {
  /** The rows with a value, with a number, and with a value that fits one line of a table. */
  values: number
  numbers: number
  lines: number
  /** The most digits behind the mark. */
  digits: number
}

/** Counts a value of a column. */
const count = (filled: Filled, value: unknown, number: number | null, fits: boolean): void => {
  filled.values++
  if (number !== null) filled.numbers++
  if (fits) filled.lines++
  const digits = number === null ? 0 : (/\.(\d+)$/.exec(String(value))?.[1]?.length ?? 0)
  if (digits <= MOST_DECIMALS) filled.digits = Math.max(filled.digits, digits)
}

const nothing = (): Filled => ({ values: 0, numbers: 0, lines: 0, digits: 0 })

const filledIn = (rows: readonly Values[], field: Field): Filled => {
  const filled = nothing()
  const present = rows.filter((row) => valueIn(row, field.name) !== undefined)
  for (const row of present) count(filled, valueIn(row, field.name), numberIn(row, field), true)
  return filled
}

/** Counts the values of all attributes in one pass, because each row may have names of its own. */
const filledAttributes = (rows: readonly Values[]): ReadonlyMap<string, Filled> => {
  const all = new Map<string, Filled>()
  for (const row of rows)
    for (const [name, value] of Object.entries(attributesOf(row))) {
      const filled = all.get(name) ?? nothing()
      all.set(name, filled)
      if (value === null || value === '') continue
      // An object in an attribute does not fit one line.
      const fits = typeof value !== 'object' || Array.isArray(value)
      count(filled, value, typeof value === 'number' ? value : null, fits)
    }
  return all
}

/** The most attributes that are columns. A reader cannot choose among more. */
const MOST_ATTRIBUTES = 1000

/** Returns all columns that a table may have: those of the owner first, then the others. */
export const everyColumn = ({ fields, rows, described, chosen }: TableParts): readonly Column[] => {
  const shown = fields.filter(({ column }) => column !== undefined)
  const all = shown.find(({ kind }) => kind === ALL)
  const isMixed = seriesIn(rows) > 1
  const plain = shown.filter((field) => field !== all)
  const ours = plain.map((field) => columnOf(field, filledIn(rows, field), isMixed, described))
  const own = all === undefined ? [] : attributeColumns({ rows, described, chosen, lookups: all.lookups })
  return [...ours, ...own].toSorted((a, b) => rankOf(a) - rankOf(b))
}

/** Returns a column for each attribute that a description, a row or the reader names. */
export const attributeColumns = ({
  rows,
  described,
  chosen,
  lookups,
}: Omit<TableParts, 'fields'> & Pick<Field, 'lookups'>): readonly Column[] => {
  const found = filledAttributes(rows)
  const isMixed = seriesIn(rows) > 1
  const told = [...described.map(({ name }) => name), ...(chosen ?? [])].flatMap((name) => attributeIn(name) ?? [])
  const names = [...new Set([...told, ...found.keys()])].slice(0, MOST_ATTRIBUTES)
  return names.map((name) => columnOf(attributeField(name, lookups), found.get(name) ?? nothing(), isMixed, described))
}

const columnOf = (field: Field, filled: Filled, isMixed: boolean, described: readonly DescribedField[]): Column => {
  const told = described.find(({ name }) => name === field.name || name === `timestamp_${field.name}`)
  const { title, unit = null } = told ?? {}
  const label = title === undefined ? field.label : sameLabel(title)
  const isOwn = title !== undefined || isAttribute(field)
  return { ...field, label, unit, decimals: decimalsOf(field, filled, isMixed), isOwn, filled: filled.lines }
}

/** Returns the digits behind the mark of numbers that stand below each other. Null: most values are no numbers. */
const decimalsOf = ({ kind }: Field, { values, numbers, digits }: Filled, isMixed: boolean): number | null => {
  if (kind === 'duration' || numbers === 0 || numbers * 2 < values) return null
  // Each series measures with a precision of its own.
  return isMixed ? 0 : digits
}

/** Returns the label that a text has in both languages. A header in code, such as aantal_gewonden, becomes words. */
const sameLabel = (text: string): Label => {
  const words = /^[a-z0-9_]+$/.test(text) ? wordsOfName(text) : text
  return [words, words]
}

const isAttribute = ({ kind }: Pick<Field, 'kind'>): boolean => kind === ONE_ATTRIBUTE

const attributeField = (name: string, lookups: readonly string[]): Field => ({
  name: ATTRIBUTE + name,
  label: sameLabel(attributeLabel(name)),
  kind: ONE_ATTRIBUTE,
  group: 'what',
  lookups: FILTERED.test(name) ? lookups : [],
  column: 2,
  ...(FILTERED.test(name) && { order: ATTRIBUTE + name }),
})

/** Names and times come first, then numbers and texts. Columns that few people need come last. */
const rankOf = ({ name, kind, column, decimals }: Column): number => {
  if (column === 3) return 5
  if (isNaming({ name }) && decimals === null) return 0
  if (kind === 'instant') return 1
  if (isNaming({ name })) return 2
  return attributeIn(name) === null && column === 2 ? 4 : 3
}

/** Tests if a column names a row. */
export const isNaming = ({ name }: Pick<Field, 'name'>): boolean => name === 'value' || name === 'name'

/** The most columns of a table whose reader has not chosen any. */
const MOST_COLUMNS = 11

/**
 * Returns the columns of a table. Events of one series show each column with a value. If events have several
 * series, the table has the series, and each column with a value in most rows.
 */
export const columnsOf = (parts: TableParts, every = everyColumn(parts)): readonly Column[] => {
  const { rows, chosen } = parts
  const named = (name: string) => every.filter((each) => each.name === name || (name === ALL && isAttribute(each)))
  const picked = (chosen ?? []).flatMap(named)
  if (picked.length > 0) return picked
  const isMixed = seriesIn(rows) > 1
  const isShown = (column: Column) => {
    if (isOwner(column)) return isMixed
    if (column.column === 1 || !isMixed) return column.column !== 3 && column.filled > 0
    return column.column === 2 && column.filled * 2 > rows.length
  }
  return every.filter(isShown).slice(0, MOST_COLUMNS)
}

/** Kinds whose values have about the same width. */
const EVEN = ['instant', 'duration', 'place', 'bounds', 'integer']

/** Tests if a column has texts, which are cut if they are too long. */
export const isOfTexts = ({ kind, decimals }: Column): boolean => decimals === null && !EVEN.includes(kind)

const isOfNumbers = ({ kind, decimals }: Column): boolean => decimals !== null || ['duration', 'integer'].includes(kind)

/** Tests if a value of `ordering` is the order of a column, in either direction. */
export const isSorted = ({ order }: Column, given: string): boolean =>
  order !== undefined && given.replace(/^-/, '') === order

/**
 * Returns the classes of the cells of each column. The first one is `named` and links to the item. `number` is at the
 * right, and `text` may be cut. A narrow screen shows `lead` in the same line as the first one.
 */
export const classesOf = (columns: readonly Column[], ordering: string): readonly string[] => {
  const numbers = columns.slice(1).filter(isOfNumbers)
  const lead = numbers.find((column) => isSorted(column, ordering)) ?? numbers[0]
  return columns.map((column, i) => {
    const classes = [i === 0 && 'named', isOfNumbers(column) && 'number', isOfTexts(column) && 'text']
    return [...classes, column === lead && 'lead'].filter(Boolean).join(' ')
  })
}

/** Returns the heading of a column, with its unit. */
export const columnTitle = ({ label, unit }: Pick<Column, 'label' | 'unit'>, language: 0 | 1): string =>
  unit === null ? label[language] : `${label[language]} (${unit})`

/** Returns a name as words: `event_series__name` becomes Event series name, and `itemType` becomes Item type. */
export const wordsOfName = (name: string): string => {
  const words = name.replace(/_+/g, ' ').replace(/(?<=[a-z])[A-Z](?=[a-z])/g, (letter) => ` ${letter.toLowerCase()}`)
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(/\b[ct]rs\b/gi, (name) => name.toUpperCase())
}

/** Returns the label of an attribute. A name in code, such as aantal_gewonden, becomes words. `pH` stays. */
export const attributeLabel = (name: string): string =>
  /^[a-z][a-z0-9]*([_A-Z][a-z0-9]+)*$/.test(name) ? wordsOfName(name) : name
