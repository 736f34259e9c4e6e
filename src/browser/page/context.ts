/** What is known of an address: what OPTIONS tells and, of a list, what its controls need. */
export interface About {
  readonly name?: string
  readonly description?: string
  /** The media types there are. */
  readonly renders?: readonly string[]
  /** Parameter -> the kind of its value; the lookups of a field come after it. Absent: it is no list. */
  readonly filters?: Readonly<Record<string, string>>
  /** Parameter -> the values it takes, where they can be listed. */
  readonly choices?: Readonly<Record<string, readonly string[]>>
  readonly ordering?: readonly string[]
  /** The size of a page unless asked otherwise, and the greatest. */
  readonly page_size?: readonly [number, number]
}

/** What the Worker tells the scripts beside the answer, see src/formats/html.ts. */
export interface Context {
  readonly title: string
  readonly method: string
  readonly url: string
  readonly status: number
  readonly about: About
  readonly headers: readonly (readonly [string, string])[]
  readonly prefix: string
}

/** What the Worker put into a page: the context, and the answer from the text that people would read without scripts. */
export const readPage = (page: Document): { context: Context; body: unknown } => ({
  context: JSON.parse(page.getElementById('context')?.textContent ?? ''),
  body: JSON.parse(page.getElementById('answer')?.textContent ?? ''),
})

/** A field that can be filtered on: its parameter, the kind of its values, and its lookups, empty where it has only one. */
export interface Field {
  readonly name: string
  readonly kind: string
  readonly lookups: readonly string[]
  readonly choices: readonly string[]
}

/** The fields of a list. The parameters of a field's lookups follow it, are of its kind, and begin with its name. */
export const fieldsOf = ({ filters = {}, choices = {} }: About): Field[] => {
  const fields: { name: string; kind: string; lookups: string[]; choices: readonly string[] }[] = []
  for (const [name, kind] of Object.entries(filters)) {
    const last = fields.at(-1)
    if (last !== undefined && last.kind === kind && name.startsWith(`${last.name}__`))
      last.lookups.push(name.slice(last.name.length + 2))
    else fields.push({ name, kind, lookups: [], choices: choices[name] ?? [] })
  }
  return fields
}

/** The parameter of a field and one of its lookups, the empty one for the bare field. */
export const parameterName = (field: Field, lookup: string): string =>
  lookup === '' ? field.name : `${field.name}__${lookup}`

/** The label of a field: `event_series__name` gives Event series name, and `itemType` gives Item type. */
export const labelOf = (name: string): string => {
  const words = name.replace(/_+/g, ' ').replace(/(?<=[a-z])[A-Z](?=[a-z])/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
