import { useEffect, useRef } from 'preact/hooks'
import type { FormField } from '../../state/context.ts'
import type { Faults, Message } from '../../state/service.ts'
import { textNamed, texts } from '../../state/text.ts'
import { faultText } from '../../state/texts/faults.ts'
import { Calendar } from './calendar.tsx'
import { ATTRIBUTE, choicesOf, type FieldCondition, lookupsOf, nameOf, readCondition } from './conditions.ts'
import { choiceLabel, faultMessage, fieldLabel, lookupLabel } from './labels.ts'
import type { FormState } from './state.ts'

export interface LineProps {
  readonly form: FormState
  readonly field: FormField
  readonly condition: FieldCondition
  /** The place among the conditions of the field. */
  readonly index: number
  readonly messages: readonly Message[]
  /** Another object than before moves the focus to the input. */
  readonly focus: object | null
}

/** Returns the messages of a condition. */
export const messagesOf = (field: FormField, condition: FieldCondition, faults: Faults): readonly Message[] =>
  faults[readCondition(field, condition)?.name ?? nameOf(condition)] ?? []

/** A condition: the name of an attribute, a lookup, a value, and the message of its fault. */
export const ConditionLine = (props: LineProps) => {
  const { form, field, condition, index } = props
  const { base, lookup } = condition
  const t = texts().form
  const label = fieldLabel(field.name)
  const isAttribute = field.kind === 'attributes'
  return (
    <div class="line">
      {isAttribute && (
        <input
          class="attribute"
          aria-label={t.attribute}
          placeholder={t.attribute}
          value={base.slice(ATTRIBUTE.length)}
          onInput={({ currentTarget }) =>
            form.edit(field.name, index, { base: ATTRIBUTE + currentTarget.value.trim() })
          }
          onChange={() => form.commit(field.name)}
        />
      )}
      {lookupsOf(field).length > 1 && (
        <select
          class="lookup"
          aria-label={t.lookupOf(label)}
          value={lookup}
          onChange={({ currentTarget }) => {
            form.edit(field.name, index, { lookup: currentTarget.value })
            form.commit(field.name)
          }}
        >
          {lookupsOf(field).map((each) => (
            <option key={each} value={each}>
              {lookupLabel(each, field.kind)}
            </option>
          ))}
        </select>
      )}
      <Value {...props} />
      <Fault {...props} />
    </div>
  )
}

/** The lists of values for some fields. */
const LISTS: Readonly<Record<string, string>> = { event_series: 'series-uuids', event_series__name: 'series-names' }

/** The value of a condition: a text, or a choice. */
const Value = ({ form, field, condition, index, messages, focus }: LineProps) => {
  const { lookup, text, given, isNew } = condition
  const input = useRef<HTMLInputElement & HTMLSelectElement>(null)
  useEffect(() => {
    if (isNew || focus !== null) input.current?.focus()
  }, [focus])
  const t = texts().form
  const label = `${fieldLabel(field.name)} ${lookupLabel(lookup, field.kind)}`
  const edit = (text: string) => form.edit(field.name, index, { text })
  const choose = (text: string) => {
    edit(text)
    form.commit(field.name)
  }
  const value = given === null ? '' : (readCondition(field, condition)?.encoded ?? '')
  const shared = {
    ref: input,
    name: nameOf(condition),
    value: text,
    'aria-label': label,
    title: value || nameOf(condition),
    ...(messages.length > 0 && { 'aria-invalid': true, 'aria-describedby': faultId(field, index) }),
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
      choose(currentTarget.value),
  }
  const choices = choicesOf(field, lookup)
  if (choices.length > 0)
    return (
      <select class="value" {...shared}>
        <Choices choices={choices} />
      </select>
    )
  const isDay = field.kind === 'instant' && lookup !== 'range'
  return (
    <span class="value">
      <input
        {...shared}
        placeholder={textNamed(t.examples, field.kind)}
        autocomplete="off"
        spellcheck={false}
        list={LISTS[field.name] ?? (isDay || field.kind === 'interval' ? 'periods' : undefined)}
        onInput={({ currentTarget }) => edit(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          form.submit()
        }}
      />
      {isDay && <Calendar label={t.calendar(label)} onChoose={choose} />}
    </span>
  )
}

const Choices = ({ choices }: { readonly choices: readonly string[] }) => (
  <>
    <option value="">{texts().form.any}</option>
    {choices.map((choice) => (
      <option key={choice} value={choice}>
        {choiceLabel(choice)}
      </option>
    ))}
  </>
)

export const faultId = (field: FormField, index: number): string => `${field.name}-${index}-fault`

/** The message of a fault. */
export const Fault = ({ field, index, messages }: LineProps) =>
  messages.length > 0 && (
    <p class="fault" id={faultId(field, index)}>
      {faultMessage(field.kind) ?? faultText(messages)}
    </p>
  )
