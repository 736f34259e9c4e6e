import { useLayoutEffect, useState } from 'preact/hooks'
import type { Faults } from '../../state/service.ts'
import { texts } from '../../state/text.ts'
import { AreaField } from './area.tsx'
import { type FieldCondition, lookupsOf } from './conditions.ts'
import { fieldLabel } from './labels.ts'
import { ConditionLine, messagesOf } from './line.tsx'
import { type FieldState, type FormState, hasValue } from './state.ts'

interface FieldsProps {
  readonly form: FormState
  readonly faults: Faults
  /** The first condition with a fault. Its input gets the focus. */
  readonly first: FieldCondition | undefined
}

interface GroupProps extends FieldsProps {
  readonly title: string
  readonly isFirst: boolean
  readonly fields: readonly FieldState[]
}

/** A group of fields. A group with a filter or with a fault opens. */
export const Group = ({ title, isFirst, fields, ...shared }: GroupProps) => {
  const active = fields.filter(hasValue).length
  const isFaulty = fields.some(({ field, conditions }) =>
    conditions.some((each) => messagesOf(field, each, shared.faults).length > 0),
  )
  const [isOpen, setOpen] = useState(isFirst)
  useLayoutEffect(() => {
    if (active > 0 || isFaulty) setOpen(true)
  }, [active > 0, isFaulty && shared.faults])
  return (
    <details class="group" open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {title}
        {active > 0 && <span class="badge">{active}</span>}
      </summary>
      {fields.map((state) => (
        <Field key={state.field.name} state={state} {...shared} />
      ))}
    </details>
  )
}

/** A field and its conditions. A field with a value can get another condition. */
const Field = ({ state, form, faults, first }: FieldsProps & { readonly state: FieldState }) => {
  const { field, conditions } = state
  const t = texts().form
  const label = fieldLabel(field.name)
  const lines = conditions.map((condition, index) => {
    const messages = messagesOf(field, condition, faults)
    const focus = condition === first ? faults : null
    return { form, field, condition, index, messages, focus }
  })
  if (field.kind === 'geometry') return lines.slice(0, 1).map((line) => <AreaField key={field.name} {...line} />)
  return (
    <fieldset class="field" aria-label={label} data-field={field.name}>
      <div class="field-head">
        <span class="label" title={field.name}>
          {label}
        </span>
        {lookupsOf(field).length > 1 && hasValue(state) && (
          <button
            type="button"
            class="quiet"
            aria-label={t.another(label)}
            title={t.another(label)}
            onClick={() => form.add(field.name)}
          >
            +
          </button>
        )}
      </div>
      {lines.map((line) => (
        <ConditionLine key={line.index} {...line} />
      ))}
    </fieldset>
  )
}
