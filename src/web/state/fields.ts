import { type About, ATTRIBUTES } from './context.ts'
import { zoneName } from './format.ts'
import { textNamed, texts } from './text.ts'

/** A field with filters: its parameter, the kind of its values, and its lookups. Empty if it has only one lookup. */
export interface FormField {
  readonly name: string
  readonly kind: string
  readonly lookups: readonly string[]
  readonly choices: readonly string[]
}

/** The lookups of an attribute that the editor offers. */
const OF_ATTRIBUTES = ['gt', 'gte', 'lt', 'lte', 'range', 'in', 'icontains', 'istartswith', 'isnull', 'not', 'in__not']

/**
 * Returns the fields of a list. The parameters of a field's lookups follow it and start with its name. They have its
 * kind, or compare the number at the beginning of its text. The box for words is beside the fields.
 */
export const fieldsOf = ({ filters = {}, choices = {} }: About): FormField[] => {
  const fields: { name: string; kind: string; lookups: string[]; choices: readonly string[] }[] = []
  for (const [name, kind] of Object.entries(filters)) {
    if (kind === ATTRIBUTES || kind === 'words') continue
    const last = fields.at(-1)
    if (last !== undefined && [last.kind, 'number'].includes(kind) && name.startsWith(`${last.name}__`))
      last.lookups.push(name.slice(last.name.length + 2))
    else fields.push({ name, kind, lookups: [], choices: choices[name] ?? [] })
  }
  if (Object.values(filters).includes(ATTRIBUTES))
    fields.push({ name: ATTRIBUTES, kind: ATTRIBUTES, lookups: OF_ATTRIBUTES, choices: [] })
  return fields
}

/** Returns the label of a field in the language of the page. */
export const fieldLabel = (name: string): string => textNamed(texts().form.fields, name) ?? labelOf(name)

/** Returns the label of a name: `event_series__name` becomes Event series name, and `itemType` becomes Item type. */
export const labelOf = (name: string): string => {
  const words = name.replace(/_+/g, ' ').replace(/(?<=[a-z])[A-Z](?=[a-z])/g, (letter) => ` ${letter.toLowerCase()}`)
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(/\b[ct]rs\b/gi, (name) => name.toUpperCase())
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

/** Returns the message about a value of a kind that the service cannot read. Undefined if the page has none. */
export const faultMessage = (kind: string): string | undefined => textNamed(texts().form.faults, kind)?.(zoneName())

export const GROUPS = ['what', 'where', 'when', 'more'] as const

type GroupName = (typeof GROUPS)[number]

const GROUP_OF = new Map<string, GroupName>([
  ...['category', 'value', 'object_type__model', 'name', 'event_series__name'].map((name) => [name, 'what'] as const),
  ...['event_series__observation_type', 'access_modifier'].map((name) => [name, 'what'] as const),
  ...['geom_within', 'geometry__within', 'near', 'radius', 'bbox'].map((name) => [name, 'where'] as const),
  ...['timestamp_start', 'timestamp_end', 'start', 'end', 'duration', 'datetime', 'latest'].map(
    (name) => [name, 'when'] as const,
  ),
])

export const groupOf = ({ name }: FormField): GroupName => GROUP_OF.get(name) ?? 'more'
