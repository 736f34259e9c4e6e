import { type GroupName, labelOf } from '../../state/context.ts'
import { zoneName } from '../../state/format.ts'
import { shown } from '../../state/store.ts'
import { language, textNamed, texts } from '../../state/text.ts'

/** Returns the label of the field with a parameter or an order, in the language of the page. */
export const fieldLabel = (name: string): string => {
  const { fields = [] } = shown.value.context.about
  const field = fields.find((each) => each.name === name) ?? fields.find(({ order }) => order === name)
  if (field === undefined) return labelOf(name)
  const [english, dutch] = field.label
  return language.value === 'nl' ? dutch : english
}

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

export const GROUPS: readonly GroupName[] = ['what', 'where', 'when', 'more']
