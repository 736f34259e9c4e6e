import type { Sentence } from '../../messages.ts'

/** The description of an address: the answer to OPTIONS, and the data for the controls of a list. */
export interface About {
  readonly name?: string
  readonly description?: string
  /** The media types of the address. */
  readonly renders?: readonly string[]
  /** The kind of value of each parameter. The lookups of a field follow it. Absent if the address is not a list. */
  readonly filters?: Readonly<Record<string, string>>
  /** The values of each parameter that accepts only some. */
  readonly choices?: Readonly<Record<string, readonly string[]>>
  readonly ordering?: readonly string[]
  /** The default and the maximum size of a page. */
  readonly page_size?: readonly [number, number]
}

/** The sentences of each message about a parameter. */
export type CodesByName = Readonly<Record<string, readonly (readonly Sentence[])[]>>

/** The data of the Worker for the scripts, next to the answer. See src/formats/html.ts. */
export interface Context {
  readonly title: string
  readonly method: string
  readonly url: string
  readonly status: number
  readonly about: About
  readonly headers: readonly (readonly [string, string])[]
  readonly prefix: string
  /** The codes of the messages in a 400, by parameter. */
  readonly faults?: CodesByName
}

/**
 * Reads the context and the answer that the Worker wrote into a page. Without scripts, people read the answer as text.
 * Null: another server wrote the page.
 */
export const readPage = (page: Document): { context: Context; body: unknown } | null => {
  const [context, answer] = ['context', 'answer'].map((id) => page.getElementById(id)?.textContent)
  return context && answer ? { context: JSON.parse(context), body: JSON.parse(answer) } : null
}

/** A field with filters: its parameter, the kind of its values, and its lookups. Empty if it has only one lookup. */
export interface FormField {
  readonly name: string
  readonly kind: string
  readonly lookups: readonly string[]
  readonly choices: readonly string[]
}

/** The filters by attributes and their kind. They have no field, because their names are not known. */
export const ATTRIBUTES = 'attributes'

/**
 * Returns the fields of a list. The parameters of a field's lookups follow it and start with its name. They have its
 * kind, or compare the number at the beginning of its text.
 */
export const fieldsOf = ({ filters = {}, choices = {} }: About): FormField[] => {
  const fields: { name: string; kind: string; lookups: string[]; choices: readonly string[] }[] = []
  for (const [name, kind] of Object.entries(filters)) {
    if (kind === ATTRIBUTES) continue
    const last = fields.at(-1)
    if (last !== undefined && [last.kind, 'number'].includes(kind) && name.startsWith(`${last.name}__`))
      last.lookups.push(name.slice(last.name.length + 2))
    else fields.push({ name, kind, lookups: [], choices: choices[name] ?? [] })
  }
  return fields
}

/** Returns the parameter of a field and a lookup. An empty lookup means the field alone. */
export const parameterName = (field: FormField, lookup: string): string =>
  lookup === '' ? field.name : `${field.name}__${lookup}`

/** Returns the field and the lookup of a parameter. Null if the list has no such filter. */
export const fieldNamed = (
  about: About,
  name: string,
): { readonly field: FormField; readonly lookup: string } | null => {
  for (const field of fieldsOf(about)) {
    const lookup = ['', ...field.lookups].find((each) => parameterName(field, each) === name)
    if (lookup !== undefined) return { field, lookup }
  }
  return null
}

/** The labels of fields whose names say too little. */
const LABELS: Readonly<Record<string, string>> = { q: 'Words' }

/** Returns the label of a field: `event_series__name` becomes Event series name, and `itemType` becomes Item type. */
export const labelOf = (name: string): string => {
  const label = LABELS[name]
  if (label !== undefined) return label
  const words = name.replace(/_+/g, ' ').replace(/(?<=[a-z])[A-Z](?=[a-z])/g, (letter) => ` ${letter.toLowerCase()}`)
  return (words.charAt(0).toUpperCase() + words.slice(1)).replace(/\b[ct]rs\b/gi, (name) => name.toUpperCase())
}
