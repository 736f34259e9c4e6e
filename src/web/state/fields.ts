import {
  attributeIn,
  attributeLabel,
  type Column,
  columnTitle,
  type DescribedField,
  type Field,
  wordsOfName,
} from '../../formats/columns.ts'
import { zoneName } from './format.ts'
import { language, textNamed, texts } from './text.ts'

export type { Column, DescribedField, Field }

export const GROUPS = ['what', 'where', 'when', 'more'] as const satisfies readonly Field['group'][]

/** The description of an address: the answer to OPTIONS, and the data for the controls of a list. */
export interface About {
  readonly name?: string
  readonly description?: string
  /** The media types of the address. */
  readonly renders?: readonly string[]
  /** The kind of value of each parameter. Absent if the address is not a list. */
  readonly filters?: Readonly<Record<string, string>>
  /** The fields of a list. */
  readonly fields?: readonly Field[]
  readonly ordering?: readonly string[]
  /** The default and the maximum size of a page. */
  readonly page_size?: readonly [number, number]
}

/** Returns the description of a list in which each of these columns is a field, with the title of its owner. */
export const withColumns = (about: About, columns: readonly Column[]): About => {
  const own = columns.filter(({ isOwn }) => isOwn).map((each) => ({ ...each, label: titlesOf(each) }))
  const others = (about.fields ?? []).filter(({ name }) => !own.some((each) => each.name === name))
  return about.fields === undefined ? about : { ...about, fields: [...own, ...others] }
}

/** Returns the title of a column in both languages, with its unit. */
const titlesOf = (column: Column) => [columnTitle(column, 0), columnTitle(column, 1)] as const

/** Returns the fields that a list can filter by. The box for words is beside them. */
export const filterFieldsOf = ({ fields = [] }: About): readonly Field[] =>
  fields.filter(({ kind, lookups }) => lookups.length > 0 && kind !== 'words')

/** Returns the label of a field in the language of the page. */
export const labelOf = ({ label: [english, dutch] }: Field): string => (language.value === 'nl' ? dutch : english)

/** Returns the title of a column in the language of the page, with its unit. */
export const titleOf = (column: Column): string => columnTitle(column, language.value === 'nl' ? 1 : 0)

/** Returns the heading of a column. If it has instants, it names the zone of the page. */
export const headingOf = (column: Column): string =>
  column.kind === 'instant' ? `${titleOf(column)} (${zoneName()})` : titleOf(column)

/** Units of amounts, which have a sum. A level or a temperature has only a mean. */
export const AMOUNTS = ['m³', 'm3', 'l', 'liter', 'kg', 't', 'ton', 'kWh', 'MWh', '€', 'EUR']

/** Returns the usual statistic of a number. Numbers without a unit are amounts if they are whole, such as people. */
export const statisticOf = ({ unit, decimals }: Column): 'sum' | 'mean' => {
  const isAmount = unit === null ? decimals === 0 : AMOUNTS.includes(unit)
  return isAmount ? 'sum' : 'mean'
}

/** Returns the label of the field with this name. A name without a field becomes words. */
export const labelNamed = ({ fields = [] }: About, name: string): string => {
  const found = fields.find((field) => field.name === name)
  if (found !== undefined) return labelOf(found)
  const attribute = attributeIn(name)
  if (attribute !== null) return attributeLabel(attribute)
  return textNamed(texts().list.columns, name) ?? wordsOfName(name)
}

/** Returns the name of a lookup for people. */
export const lookupLabel = (lookup: string, kind: string): string => {
  const { lookups, lookupsOfInstants } = texts().form
  const ofInstant = kind === 'instant' ? textNamed(lookupsOfInstants, lookup) : undefined
  return ofInstant ?? textNamed(lookups, lookup) ?? lookup
}

/** Returns the word of the page for a value of a choice, such as yes. Other values stay unchanged. */
export const choiceLabel = (choice: string): string => {
  const { yes, no, choices } = texts().form
  return { true: yes, false: no }[choice] ?? textNamed(choices, choice) ?? choice
}

/** Returns the name of an order, such as "Start, newest first". */
export const orderLabel = (about: About, order: string): string => {
  const { ways, distance } = texts().list.order
  const name = order.replace(/^-/, '')
  if (name === 'distance') return distance
  const field = (about.fields ?? []).find((each) => each.order === name || each.name === name)
  const kindOfAttribute = typeof field?.decimals === 'number' ? 'number' : 'text'
  const kindOfField = name.endsWith('_number') ? 'number' : (field?.kind ?? '')
  const kind = attributeIn(name) === null ? kindOfField : kindOfAttribute
  const [up, down] = (textNamed(ways, kind) ?? ways.other).split(', ')
  const label = field === undefined ? labelNamed(about, name) : labelOf(field)
  return `${label}, ${name === order ? up : down}`
}
