import type { TargetedEvent } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { ONE_ATTRIBUTE } from '../../formats/columns.ts'
import { exchanged } from '../state/address.ts'
import { type About, choiceLabel, type Field, labelOf, lookupLabel } from '../state/fields.ts'
import { formatCount } from '../state/format.ts'
import { facetsOf, MOST_COUNTED, type SeriesById, summaryKeyOf } from '../state/known.ts'
import { eventListAt, readList } from '../state/rows.ts'
import { useAsked } from '../state/service.ts'
import { refusal, shown } from '../state/store.ts'
import { textNamed, texts } from '../state/text.ts'
import { editorTexts, faultMessage } from '../state/texts/editor.ts'
import { faultText } from '../state/texts/faults.ts'
import { type Option, Options } from './cells.tsx'
import {
  ATTRIBUTE,
  ATTRIBUTES,
  choicesOf,
  doubtOf,
  type Filter,
  lookupsOf,
  nameOf,
  parameterOf,
  renewed,
  understood,
} from './filter.ts'
import { AttributeName, Calendar } from './inputs.tsx'

/** Filters in the editor, and the parameters that they replace. A position comes with the metres around it. */
export interface Edited {
  readonly filters: readonly Filter[]
  readonly before: readonly string[]
}

interface EditorProps {
  readonly about: About
  /** The series that the reader sees, for suggestions. */
  readonly series: SeriesById
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
  const change = (filter: Filter, changes: Partial<Filter>) =>
    edit({ ...edited, filters: filters.map((each) => (each === filter ? fitted({ ...each, ...changes }) : each)) })
  const t = texts().form
  return (
    <form
      class="row editor"
      aria-label={t.filter}
      onSubmit={submit}
      onKeyDown={({ key }) => key === 'Escape' && close()}
    >
      {filters.map((filter, i) => (
        <Line
          key={filter.field.name}
          about={about}
          filter={filter}
          series={series}
          isFirst={i === 0}
          change={(changes) => change(filter, changes)}
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

/** Returns a changed filter. It is empty if its new lookup does not accept its text. */
const fitted = (changed: Filter): Filter => {
  const filter = renewed(changed)
  const choices = choicesOf(filter)
  return choices.length === 0 || choices.includes(filter.text) ? filter : { ...filter, text: '' }
}

interface LineProps extends Pick<EditorProps, 'about' | 'series'> {
  readonly filter: Filter
  readonly isFirst: boolean
  readonly change: (changes: Partial<Filter>) => void
}

/** A field, its lookup and its value. */
const Line = (props: LineProps) => {
  const { about, filter, change } = props
  const { field, lookup, base } = filter
  const t = texts().form
  const label = labelOf(field)
  const messages = refusal.value.messages[parameterOf(filter)?.name ?? nameOf(filter)] ?? []
  const refused = messages.length > 0 ? (faultMessage(field.kind) ?? faultText(messages)) : ''
  const readings = doubtOf(filter)
  const fault = readings === null ? refused : editorTexts().doubt(filter.text, ...readings)
  return (
    <div class="line" data-field={field.name}>
      <span class="label" title={field.name}>
        {label}
      </span>
      {field.kind === ATTRIBUTES && (
        <AttributeName name={base.slice(ATTRIBUTE.length)} put={(name) => change({ base: ATTRIBUTE + name })} />
      )}
      {lookupsOf(field).length > 1 && (
        <select
          class="lookup"
          aria-label={t.lookupOf(label)}
          value={lookup}
          onInput={({ currentTarget }) => change({ lookup: currentTarget.value })}
        >
          <Options of={lookupsOf(field).map((each) => [each, lookupLabel(each, field.kind)])} />
        </select>
      )}
      <Value {...props} isFaulty={fault !== ''} />
      <small class="understood">{understood(about, filter)}</small>
      <p class="fault" id={faultId(field)}>
        {fault}
      </p>
    </div>
  )
}

const faultId = ({ name }: Field): string => `${name}-fault`

/** Gives an input the focus at first and after each answer. At first, its text is selected. */
const useFocus = (isWanted: boolean) => {
  const input = useRef<HTMLInputElement & HTMLSelectElement & HTMLTextAreaElement>(null)
  useLayoutEffect(() => {
    if (isWanted) input.current?.focus()
  }, [refusal.value])
  useLayoutEffect(() => {
    if (isWanted) input.current?.select?.()
  }, [])
  return input
}

/** The value of a filter: a text, a choice or an area. The first one has the focus, also after a fault. */
const Value = ({ filter, series, isFirst, change, isFaulty }: LineProps & { readonly isFaulty: boolean }) => {
  const { field, lookup, text } = filter
  const t = texts().form
  const editor = editorTexts()
  const label = lookupsOf(field).length > 1 ? `${labelOf(field)} ${lookupLabel(lookup, field.kind)}` : labelOf(field)
  const put = (text: string) => change({ text })
  const shared = {
    ref: useFocus(isFaulty || isFirst),
    name: nameOf(filter),
    class: 'value',
    value: text,
    'aria-label': label,
    title: nameOf(filter),
    'aria-invalid': isFaulty || undefined,
    'aria-describedby': faultId(field),
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => put(currentTarget.value),
  }
  const values = useValues(filter)
  const choices = choicesOf(filter)
  if (choices.length > 0)
    return (
      <select {...shared}>
        <Options of={[['', t.any], ...choices.map((each): Option => [each, choiceLabel(each)])]} />
      </select>
    )
  // People can also draw an area on the map.
  if (field.kind === 'geometry')
    return (
      <>
        <textarea {...shared} rows={2} spellcheck={false} placeholder={editor.area} />
        <input type="file" accept=".json,.geojson,.wkt,.txt" aria-label={editor.file} onChange={readInto(put)} />
      </>
    )
  return (
    <>
      <input
        {...shared}
        placeholder={textNamed(editor.examples, field.kind)}
        autocomplete="off"
        spellcheck={false}
        list={`${field.name}-list`}
      />
      <datalist id={`${field.name}-list`}>
        <Options of={[...suggestionsOf(field, series), ...values]} />
      </datalist>
      {isTime(field) && <Calendar label={editor.calendar(label)} put={put} />}
    </>
  )
}

/** Returns the values of a column in the list without the filter, with their counts, the most frequent first. */
const useValues = ({ field, given }: Filter): readonly Option[] => {
  const { place, body } = shown.value
  const isCounted = field.kind === ONE_ATTRIBUTE || (field.isOwn && field.name === 'category')
  const isAsked = isCounted && (readList(body, place.path)?.count ?? 0) <= MOST_COUNTED
  const rest = exchanged(place, given === undefined ? [] : [given.name], [])
  const listed = isAsked ? (eventListAt(place.path)?.inV3(rest) ?? null) : null
  const key = listed && `values ${field.name} ${summaryKeyOf(listed)}`
  const { value } = useAsked(key, async (signal) => listed && facetsOf(listed, [field.name], signal))
  const entries = value?.[field.name]?.entries ?? []
  return entries.map(({ value = '', count }): Option => [value, `${value} (${formatCount(count)})`])
}

/** Returns a listener that reads the chosen file. */
const readInto =
  (put: (text: string) => void) =>
  async ({ currentTarget: { files } }: TargetedEvent<HTMLInputElement>) =>
    put((await files?.[0]?.text())?.trim() ?? '')

const isTime = ({ kind }: Field): boolean => kind === 'instant' || kind === 'interval'

/** Returns the periods in words, or the series, that a filter can name. */
const suggestionsOf = (field: Field, series: SeriesById): Option[] => {
  if (field.kind === 'uuid prefix') return [...series].map(([uuid, { name }]) => [uuid, name])
  const names = field.name.endsWith('series__name') ? [...series.values()].map(({ name }) => name) : []
  return (isTime(field) ? editorTexts().periods.split(', ') : names).map((name) => [name, name])
}
