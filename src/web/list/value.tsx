import { useLayoutEffect, useRef } from 'preact/hooks'
import { type About, choiceLabel, type Field, labelOf, lookupLabel } from '../state/fields.ts'
import { type Series, uuidOf } from '../state/rows.ts'
import { faults } from '../state/store.ts'
import { textNamed, texts } from '../state/text.ts'
import { choicesOf, type Filter, lookupsOf, nameOf } from './filter.ts'

export interface LineProps {
  readonly about: About
  readonly filter: Filter
  readonly series: readonly Series[] | null
  readonly isFirst: boolean
  readonly change: (changes: Partial<Filter>) => void
}

export const faultId = ({ name }: Field): string => `${name}-fault`

/** The value of a filter: a text, a choice or an area. The first one has the focus, also after a fault. */
export const Value = ({ filter, series, isFirst, change, fault }: LineProps & { readonly fault: string }) => {
  const { field, lookup, text } = filter
  const input = useRef<HTMLInputElement & HTMLSelectElement & HTMLTextAreaElement>(null)
  useLayoutEffect(() => {
    if (fault !== '' || isFirst) input.current?.focus()
  }, [faults.value])
  const t = texts().form
  const label = lookupsOf(field).length > 1 ? `${labelOf(field)} ${lookupLabel(lookup, field.kind)}` : labelOf(field)
  const put = (text: string) => change({ text })
  const shared = {
    ref: input,
    name: nameOf(filter),
    class: 'value',
    value: text,
    'aria-label': label,
    title: nameOf(filter),
    'aria-invalid': fault !== '' || undefined,
    'aria-describedby': faultId(field),
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => put(currentTarget.value),
  }
  const choices = choicesOf(filter)
  if (choices.length > 0) return <Choices shared={shared} choices={choices} />
  if (field.kind === 'geometry') return <Area shared={shared} put={put} />
  const isDay = field.kind === 'instant' || field.kind === 'interval'
  const list = isDay ? t.periods.split(', ') : suggestionsOf(field, series)
  return (
    <>
      <input
        {...shared}
        placeholder={textNamed(t.examples, field.kind)}
        autocomplete="off"
        spellcheck={false}
        list={`${field.name}-list`}
      />
      <datalist id={`${field.name}-list`}>
        {list.map((each) =>
          typeof each === 'string' ? <option key={each} value={each} /> : <option key={each.value} {...each} />,
        )}
      </datalist>
      {isDay && <Calendar label={t.calendar(label)} put={put} />}
    </>
  )
}

interface SharedProps {
  readonly name: string
  readonly class: string
  readonly value: string
}

const Choices = ({ shared, choices }: { readonly shared: SharedProps; readonly choices: readonly string[] }) => (
  <select {...shared}>
    <option value="">{texts().form.any}</option>
    {choices.map((choice) => (
      <option key={choice} value={choice}>
        {choiceLabel(choice)}
      </option>
    ))}
  </select>
)

interface PutProps {
  readonly put: (text: string) => void
}

/** An area: a geometry as text, or from a file. People can also draw it on the map. */
const Area = ({ shared, put }: PutProps & { readonly shared: SharedProps }) => {
  const t = texts().form
  return (
    <>
      <textarea {...shared} rows={2} spellcheck={false} placeholder={t.area} />
      <input
        type="file"
        accept=".json,.geojson,.wkt,.txt"
        aria-label={t.file}
        onChange={async ({ currentTarget }) => put((await currentTarget.files?.[0]?.text())?.trim() ?? '')}
      />
    </>
  )
}

/** A button that opens the calendar of the browser. */
const Calendar = ({ label, put }: PutProps & { readonly label: string }) => {
  const picker = useRef<HTMLInputElement>(null)
  return (
    <span class="calendar">
      <button type="button" class="quiet" aria-label={label} title={label} onClick={() => picker.current?.showPicker()}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 1.5v3M10.5 1.5v3" />
        </svg>
      </button>
      <input
        ref={picker}
        class="unseen"
        type="date"
        tabIndex={-1}
        aria-label={label}
        onChange={({ currentTarget }) => put(currentTarget.value)}
      />
    </span>
  )
}

/** Returns the series that a filter can name. */
const suggestionsOf = ({ name, kind }: Field, series: readonly Series[] | null) => {
  if (kind === 'uuid prefix') return (series ?? []).map((each) => ({ value: uuidOf(each), label: each.name }))
  return name.endsWith('series__name') ? (series ?? []).map((each) => each.name) : []
}
