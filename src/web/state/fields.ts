import { zoneName } from './format.ts'
import { language, textNamed, texts } from './text.ts'

export const GROUPS = ['what', 'where', 'when', 'more'] as const

/** A field of a list for people, as the Worker writes it into the page. See src/model/controls.ts. */
export interface Field {
  readonly name: string
  readonly label: readonly [en: string, nl: string]
  /** The kind of its filter. Without a filter, the kind of its value. */
  readonly kind: string
  readonly group: (typeof GROUPS)[number]
  /** The lookups of its filter. The empty lookup is the parameter `name`. Without a filter there are none. */
  readonly lookups: readonly string[]
  readonly choices?: readonly string[]
  /** The value of `ordering` for its order. */
  readonly order?: string
  /** 1: a main column. 2: a column beside them. 3: a column if the reader asks for it. */
  readonly column?: 1 | 2 | 3
}

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

/** Returns the fields that a list can filter by. The box for words is beside them. */
export const filterFieldsOf = ({ fields = [] }: About): readonly Field[] =>
  fields.filter(({ kind, lookups }) => lookups.length > 0 && kind !== 'words')

/** Returns the label of a field in the language of the page. */
export const labelOf = ({ label: [english, dutch] }: Field): string => (language.value === 'nl' ? dutch : english)

/** The titles of the columns of a series, with their units, by the names of fields such as `attributes__wind`. */
export type Titles = ReadonlyMap<string, string>

/** Returns the title of a field in a series, or else its label. */
export const titleOf = (field: Field, titles: Titles): string =>
  titles.get(field.name) ?? titles.get(`timestamp_${field.name}`) ?? labelOf(field)

/** Returns the title of an attribute in a series, or else its label. */
export const attributeTitle = (name: string, titles: Titles): string =>
  titles.get(`attributes__${name}`) ?? attributeLabel(name)

const ATTRIBUTE = 'attributes__'

/** Returns the label of the field with this name. A name without a field becomes words. */
export const labelNamed = ({ fields = [] }: About, name: string): string => {
  const found = fields.find((field) => field.name === name)
  if (found !== undefined) return labelOf(found)
  if (name.startsWith(ATTRIBUTE)) return attributeLabel(name.slice(ATTRIBUTE.length))
  return textNamed(texts().list.columns, name) ?? wordsOfName(name)
}

/** Returns a name as words: `event_series__name` becomes Event series name, and `itemType` becomes Item type. */
export const wordsOfName = (name: string): string => {
  const words = name.replace(/_+/g, ' ').replace(/(?<=[a-z])[A-Z](?=[a-z])/g, (letter) => ` ${letter.toLowerCase()}`)
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(/\b[ct]rs\b/gi, (name) => name.toUpperCase())
}

/** Returns the label of an attribute. A name in code, such as aantal_gewonden, becomes words. `pH` stays. */
export const attributeLabel = (name: string): string =>
  /^[a-z][a-z0-9]*([_A-Z][a-z0-9]+)*$/.test(name) ? wordsOfName(name) : name

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

/** Returns the message about a value of a kind that the service cannot read. Undefined if the page has none. */
export const faultMessage = (kind: string): string | undefined => textNamed(texts().form.faults, kind)?.(zoneName())

/** Returns the name of an order, such as "Start, newest first". */
export const orderLabel = (about: About, order: string): string => {
  const { ways, distance } = texts().list.order
  const name = order.replace(/^-/, '')
  if (name === 'distance') return distance
  const field = (about.fields ?? []).find((each) => each.order === name || each.name === name)
  const kind = name.endsWith('_number') ? 'number' : (field?.kind ?? '')
  const [up, down] = (textNamed(ways, kind) ?? ways.other).split(', ')
  const label = field === undefined ? labelNamed(about, name) : labelOf(field)
  return `${label}, ${name === order ? up : down}`
}
