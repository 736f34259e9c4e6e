import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { AddressParameter, PageAddress } from '../state/address.ts'
import type { About } from '../state/context.ts'
import { zone } from '../state/format.ts'
import { type Series, uuidOf } from '../state/rows.ts'
import type { Faults } from '../state/service.ts'
import { language, texts } from '../state/text.ts'
import { formFields } from './form/conditions.ts'
import { Group } from './form/group.tsx'
import { GROUPS } from './form/labels.ts'
import { messagesOf } from './form/line.tsx'
import { makeFormState } from './form/state.ts'

export interface FormProps {
  readonly about: About
  readonly place: PageAddress
  /** The messages of a 400 by parameter. */
  readonly faults: Faults
  /** The series that the reader sees, for suggestions. Null until they are known. */
  readonly series: readonly Series[] | null
  /** Gets all filters of the form. */
  readonly onFilters: (filters: readonly AddressParameter[]) => void
  /** Shows the form, because a field has a fault. */
  readonly onFault: () => void
}

/** Returns the parameters that have a field in the form. Parameters of attributes begin with `attributes__`. */
export const namesInForm = (about: About): ReadonlySet<string> => {
  const fields = formFields(about).map(({ name, lookups }) => [name, ...lookups.map((lookup) => `${name}__${lookup}`)])
  return new Set(fields.flat())
}

/** The filters of a list in four groups. */
export const FilterForm = ({ about, place, faults, series, onFilters, onFault }: FormProps) => {
  const handler = useRef(onFilters)
  handler.current = onFilters
  const form = useMemo(() => makeFormState(about, place, () => handler.current), [about])
  // The texts of the fields follow the language and the zone.
  useLayoutEffect(() => form.show(place), [form, place, language.value, zone.value])
  const t = texts().form
  const groups = GROUPS.map((name) => form.fields.value.filter(({ field }) => field.group === name))
  const first = groups
    .flat()
    .flatMap(({ field, conditions }) => conditions.map((condition) => ({ field, condition })))
    .find(({ field, condition }) => messagesOf(field, condition, faults).length > 0)?.condition
  // The form appears before the first faulty field gets the focus.
  useLayoutEffect(() => {
    if (first !== undefined) onFault()
  }, [faults, first === undefined])
  const firstGroup = groups.findIndex((fields) => fields.length > 0)
  const submit = (event: Event) => {
    event.preventDefault()
    form.submit()
  }
  return (
    <form class="filters" aria-label={t.title} onSubmit={submit}>
      {groups.map(
        (fields, i) =>
          fields.length > 0 && (
            <Group
              key={GROUPS[i]}
              title={t.groups[GROUPS[i] ?? 'more']}
              isFirst={i === firstGroup}
              {...{ form, fields, faults, first }}
            />
          ),
      )}
      <div class="actions">
        <button type="submit" class="primary">
          {t.apply}
        </button>
      </div>
      <Suggestions series={series ?? []} />
    </form>
  )
}

/** The lists of values for some fields. */
const Suggestions = ({ series }: { readonly series: readonly Series[] }) => (
  <>
    <datalist id="series-uuids">
      {series.map((each) => (
        <option key={each.url} value={uuidOf(each)} label={each.name} />
      ))}
    </datalist>
    <datalist id="series-names">
      {series.map(({ url, name }) => (
        <option key={url} value={name} />
      ))}
    </datalist>
    <datalist id="periods">
      {texts().form.periods.map((words) => (
        <option key={words} value={words} />
      ))}
    </datalist>
  </>
)
