import type { About } from '../state/fields.ts'
import { faultMessage, labelOf, lookupLabel } from '../state/fields.ts'
import type { Series } from '../state/rows.ts'
import { faults } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { faultText } from '../state/texts/faults.ts'
import { ATTRIBUTE, ATTRIBUTES, choicesOf, type Filter, lookupsOf, nameOf, parameterOf, understood } from './filter.ts'
import { faultId, type LineProps, Value } from './value.tsx'

/** Filters in the editor, and the parameters that they replace. A position comes with the metres around it. */
export interface Edited {
  readonly filters: readonly Filter[]
  readonly before: readonly string[]
}

interface EditorProps {
  readonly about: About
  /** The series that the reader sees, for suggestions. Null until they are known. */
  readonly series: readonly Series[] | null
  readonly edited: Edited
  readonly edit: (edited: Edited) => void
  readonly apply: () => void
  readonly close: () => void
}

/** The editor of a filter: its lookup and its value. After a refusal it says the fault, and stays open. */
export const Editor = ({ about, series, edited, edit, apply, close }: EditorProps) => {
  const { filters } = edited
  const submit = (event: Event) => {
    event.preventDefault()
    apply()
  }
  const change = (index: number, changes: Partial<Filter>) =>
    edit({ ...edited, filters: filters.map((each, i) => (i === index ? fitted({ ...each, ...changes }) : each)) })
  const t = texts().form
  return (
    <form class="editor" aria-label={t.filter} onSubmit={submit} onKeyDown={({ key }) => key === 'Escape' && close()}>
      {filters.map((filter, i) => (
        <Line
          key={filter.field.name}
          {...{ about, filter, series }}
          isFirst={i === 0}
          change={(each) => change(i, each)}
        />
      ))}
      <button type="submit" class="primary">
        {t.apply}
      </button>
      <button type="button" class="quiet" aria-label={t.cancel} title={t.cancel} onClick={close}>
        ×
      </button>
    </form>
  )
}

/** Empties a filter whose new lookup does not accept its text. */
const fitted = (filter: Filter): Filter => {
  const choices = choicesOf(filter)
  return choices.length === 0 || choices.includes(filter.text) ? filter : { ...filter, text: '' }
}

/** A field, its lookup and its value. */
const Line = (props: LineProps) => {
  const { about, filter, change } = props
  const { field, lookup, base } = filter
  const t = texts().form
  const label = labelOf(field)
  const messages = faults.value.messages[parameterOf(filter)?.name ?? nameOf(filter)] ?? []
  const fault = messages.length > 0 ? (faultMessage(field.kind) ?? faultText(messages)) : ''
  return (
    <div class="line" data-field={field.name}>
      <span class="label" title={field.name}>
        {label}
      </span>
      {field.kind === ATTRIBUTES && (
        <input
          class="attribute"
          aria-label={t.attribute}
          placeholder={t.attribute}
          value={base.slice(ATTRIBUTE.length)}
          onInput={({ currentTarget }) => change({ base: ATTRIBUTE + currentTarget.value.trim() })}
        />
      )}
      {lookupsOf(field).length > 1 && (
        <select
          class="lookup"
          aria-label={t.lookupOf(label)}
          value={lookup}
          onChange={({ currentTarget }) => change({ lookup: currentTarget.value })}
        >
          {lookupsOf(field).map((each) => (
            <option key={each} value={each}>
              {lookupLabel(each, field.kind)}
            </option>
          ))}
        </select>
      )}
      <Value {...props} fault={fault} />
      <small class="understood">{understood(about, filter)}</small>
      <p class="fault" id={faultId(field)}>
        {fault}
      </p>
    </div>
  )
}
