import { type AddressParameter, textOf } from '../../state/address.ts'
import type { About } from '../../state/context.ts'
import { ATTRIBUTE, formFields, givenConditions } from './conditions.ts'
import { choiceLabel, fieldLabel, lookupLabel } from './labels.ts'

/** Says a filter in words, such as "Start from" and "7 days ago". Returns its label and its value. */
export const filterWords = (about: About, filter: AddressParameter): readonly [label: string, value: string] => {
  for (const field of formFields(about)) {
    const [given] = givenConditions(field, [filter])
    if (given === undefined) continue
    const { base, lookup, text } = given
    const label = field.kind === 'attributes' ? base.slice(ATTRIBUTE.length) : fieldLabel(field.name)
    const value = lookup === 'isnull' || field.choices.length > 0 ? choiceLabel(text) : text
    if (lookup === 'range') return [`${label}:`, value.replace(/[,;] ?/, ' – ')]
    const words = lookupLabel(lookup, field.kind).replace(/ \(a, b\)$/, '')
    return [lookup === '' ? `${label}:` : `${label} ${words}`, value]
  }
  return [`${fieldLabel(filter.name)}:`, textOf(filter)]
}
