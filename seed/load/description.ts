import type { DescribedField, Metadata } from '../../src/model/types.ts'
import { USUAL } from '../read/fields.ts'
import type { ColumnStatistics } from '../read/statistics.ts'
import { LoadError } from './error.ts'

/** The options of a load that describe a series and its columns. */
export interface DescriptionOptions {
  /** Titles and units as `NAME=TEXT`, with commas between them. */
  readonly title?: string | undefined
  readonly unit?: string | undefined
  readonly source?: string | undefined
  readonly license?: string | undefined
}

/** The columns of a table by the fields that they fill, and the name of each field in a description. */
const DESCRIBED: Readonly<Record<string, string>> = {
  value: 'value',
  category: 'category',
  start: 'timestamp_start',
  end: 'timestamp_end',
  external_id: 'external_id',
}

type Told = Partial<Pick<DescribedField, 'title' | 'unit'>>

/** The end of a header with a unit, such as `Volume (m³)` or `Duur [min]`. */
const UNIT = /^(.*\S)\s*(?:\(([^()]{1,20})\)|\[([^[\]]{1,20})\])$/

/** Returns the title in the header of a column, and its unit. Only columns of numbers have a unit. */
export const titleIn = (header: string, isNumber: boolean): Told => {
  const [, title, round, square] = UNIT.exec(header.trim()) ?? []
  const unit = round ?? square
  return isNumber && title !== undefined && unit !== undefined ? { title, unit } : { title: header.trim() }
}

/** Returns the title in a header, or the whole header if that title is the name of another column. */
const ownTitle = (header: string, isNumber: boolean, names: ReadonlySet<string>): Told => {
  const { title = '', unit } = titleIn(header, isNumber)
  const isName = names.has(title) || names.has(`attributes__${title}`)
  return unit === undefined || isName ? { title: header.trim() } : { title, unit }
}

/** Returns the headers of columns by the names of their fields. A usual name of a field is no title. */
const headersOf = (names: ReadonlyMap<string, string | undefined>, renamed: ReadonlyMap<string, string>) => {
  const isTitle = (field: string, header: string) =>
    !(USUAL.get(field) ?? [field]).includes(header.toLowerCase()) && !header.includes('+')
  const fields = [...names].flatMap(([field, header]): [string, string][] =>
    DESCRIBED[field] !== undefined && header !== undefined && isTitle(field, header)
      ? [[DESCRIBED[field], header]]
      : [],
  )
  return new Map([...fields, ...Array.from(renamed, ([header, name]) => [`attributes__${name}`, header] as const)])
}

/** Reads `NAME=TEXT,NAME=TEXT`. A name is a field, an attribute, or the header of one. */
function textsIn(option: string, given: string | undefined, renamed: ReadonlyMap<string, string>): [string, string][] {
  return (given?.split(',') ?? []).map((pair) => {
    const [, name = '', text = ''] = /^\s*([^=]+?)\s*=\s*(.+?)\s*$/.exec(pair) ?? []
    if (name === '') throw new LoadError(`${option} is ${given}: enter NAME=TEXT, such as value=Volume`)
    const known = DESCRIBED[name] ?? (Object.values(DESCRIBED).includes(name) ? name : undefined)
    return [known ?? `attributes__${renamed.get(name) ?? name.replace(/^attributes__/, '')}`, text]
  })
}

/**
 * Returns a function that adds titles and units to the description of a series. The options replace other titles. The
 * headers do not, because a person may have written the others. `names` has the columns of fields.
 */
export function describing(
  { title, unit, source, license }: DescriptionOptions,
  names: ReadonlyMap<string, string | undefined>,
  { renamed }: ColumnStatistics,
): (metadata: Metadata) => Metadata {
  const headers = headersOf(names, renamed)
  const [titles, units] = [new Map(textsIn('--title', title, renamed)), new Map(textsIn('--unit', unit, renamed))]
  return (metadata) => {
    const known = new Set(metadata.fields.map(({ name }) => name))
    const unknown = [...titles.keys(), ...units.keys()].find((name) => !known.has(name))
    if (unknown !== undefined)
      throw new LoadError(
        `the events are stored, but none has ${unknown}: --title and --unit take ${[...known].join(', ')}`,
      )
    const fields = metadata.fields.map((field): DescribedField => {
      const header = headers.get(field.name)
      const isNumber = field.name === 'value' || field.type === 'number' || field.type === 'integer'
      const found = header === undefined || field.title !== undefined ? {} : ownTitle(header, isNumber, known)
      const newTitle = titles.get(field.name) ?? field.title ?? found.title
      const newUnit = units.get(field.name) ?? field.unit ?? found.unit
      const { name, type } = field
      return {
        name,
        ...(newTitle !== undefined && { title: newTitle }),
        type,
        ...(newUnit !== undefined && { unit: newUnit }),
      }
    })
    return { ...metadata, fields, ...(source !== undefined && { source }), ...(license !== undefined && { license }) }
  }
}
