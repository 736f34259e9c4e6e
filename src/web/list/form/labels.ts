import { type FormField, labelOf } from '../../state/context.ts'
import { zoneName } from '../../state/format.ts'
import { textNamed, texts } from '../../state/text.ts'

/** Returns the label of a field in the language of the page. */
export const fieldLabel = (name: string): string => textNamed(texts().form.fields, name) ?? labelOf(name)

/** Returns the name of a lookup for people. */
export const lookupLabel = (lookup: string, kind: string): string => {
  const { lookups, lookupsOfInstants } = texts().form
  const ofInstant = kind === 'instant' ? textNamed(lookupsOfInstants, lookup) : undefined
  return ofInstant ?? textNamed(lookups, lookup) ?? lookup
}

/** Returns the word of the form for a value of a choice, such as yes. Other values stay unchanged. */
export const choiceLabel = (choice: string): string => {
  const { yes, no, choices } = texts().form
  return { true: yes, false: no }[choice] ?? textNamed(choices, choice) ?? choice
}

/** Returns the message of the form about a value that the service cannot read. Undefined if the form has none. */
export const faultMessage = (kind: string): string | undefined => textNamed(texts().form.faults, kind)?.(zoneName())

export type GroupName = 'what' | 'where' | 'when' | 'more'

export const GROUPS: readonly GroupName[] = ['what', 'where', 'when', 'more']

const GROUP_OF = new Map<string, GroupName>([
  ...['category', 'value', 'object_type__model', 'name', 'event_series__name'].map((name) => [name, 'what'] as const),
  ...['event_series__observation_type', 'access_modifier'].map((name) => [name, 'what'] as const),
  ...['geom_within', 'geometry__within', 'near', 'radius', 'bbox'].map((name) => [name, 'where'] as const),
  ...['timestamp_start', 'timestamp_end', 'start', 'end', 'duration', 'datetime', 'latest'].map(
    (name) => [name, 'when'] as const,
  ),
])

export const groupOf = ({ name }: FormField): GroupName => GROUP_OF.get(name) ?? 'more'
