import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { type AddressParameter, exchanged, filtersOf, hrefOf, type PageAddress } from '../state/address.ts'
import type { About } from '../state/fields.ts'
import { type Field, filterFieldsOf, GROUPS, labelOf } from '../state/fields.ts'
import type { Series } from '../state/rows.ts'
import { faults, go } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { Chip } from './chip.tsx'
import { type Edited, Editor } from './editor.tsx'
import { chipsOf, emptyFilter, type Filter, filterOf, firstFaulty, nameOf, parameterOf } from './filter.ts'

interface BarProps {
  readonly place: PageAddress
  readonly about: About
  readonly series: readonly Series[] | null
  /** True: each chip tells how many rows match without it. */
  readonly isEmpty: boolean
}

/** Keeps what the editor has. It closes when the list has the filter, and opens at a fault. */
const useEdited = (about: About, place: PageAddress) => {
  const [edited, edit] = useState<Edited | null>(null)
  const [awaited, setAwaited] = useState('')
  const address = hrefOf(place)
  useLayoutEffect(() => {
    if (awaited !== address) return
    edit(null)
    setAwaited('')
  }, [awaited, address])
  const refused = faults.value
  useLayoutEffect(() => {
    const faulty = firstFaulty(about, refused)
    if (faulty === null || edited?.filters.some((each) => nameInAddress(each) === faulty.name)) return
    edit(editedOf(about, refused.place, [faulty]))
  }, [refused])
  const apply = ({ filters, before }: Edited) => {
    const after = filters.map(parameterOf).filter((each) => each !== null)
    const next = exchanged(place, before, after)
    if (hrefOf(next) === address) return edit(null)
    setAwaited(hrefOf(next))
    go(next)
  }
  const open = (next: Edited | null) => {
    setAwaited('')
    edit(next)
  }
  return { edited, edit, open, apply }
}

/** The filters of a list. Each is a chip, which an editor changes, and the menu adds one. */
export const FilterBar = ({ place, about, series, isEmpty }: BarProps) => {
  const { edited, edit, open, apply } = useEdited(about, place)
  const add = useRef<HTMLButtonElement>(null)
  const close = () => {
    open(null)
    add.current?.focus()
  }
  const chips = chipsOf(about, place)
  const editor = edited && (
    <Editor key={edited.before.join()} {...{ about, series, edited, edit, close }} apply={() => apply(edited)} />
  )
  const isEdited = (chip: readonly AddressParameter[]) => chip.some(({ name }) => edited?.before.includes(name))
  return (
    <>
      {(chips.length > 0 || edited !== null) && (
        <ul class="chips" aria-label={texts().list.chips.title}>
          {chips.map((chip, i) => (
            <li key={chip[0]?.name}>
              {isEdited(chip) ? (
                editor
              ) : (
                <Chip
                  {...{ place, about, series, chip }}
                  isCounted={isEmpty && i < MOST_COUNTED}
                  onEdit={() => open(editedOf(about, place, chip))}
                />
              )}
            </li>
          ))}
          {edited !== null && !chips.some(isEdited) && <li>{editor}</li>}
        </ul>
      )}
      <AddFilter about={about} button={add} pick={(field) => open(emptyEdited(about, place, field))} />
      {chips.length > 1 && (
        <a href={hrefOf(exchanged(place, namesOf(filtersOf(place)), []))}>{texts().list.chips.clear}</a>
      )}
    </>
  )
}

const namesOf = (parameters: readonly AddressParameter[]): string[] => parameters.map(({ name }) => name)

const nameInAddress = (filter: Filter): string => parameterOf(filter)?.name ?? nameOf(filter)

/** The chips of an empty list that tell a count. Each costs a request. */
const MOST_COUNTED = 3

const editedOf = (about: About, place: PageAddress, chip: readonly AddressParameter[]): Edited => {
  const whole = chipsOf(about, place).find(([first]) => first?.name === chip[0]?.name) ?? chip
  const filters = whole.map((each) => filterOf(about, each)).filter((each) => each !== null)
  return { filters: withMetres(about, filters), before: namesOf(whole) }
}

const emptyEdited = (about: About, place: PageAddress, field: Field): Edited => {
  const given = chipsOf(about, place).find(([first]) => first?.name === nameOf(emptyFilter(field)))
  return given ? editedOf(about, place, given) : { filters: withMetres(about, [emptyFilter(field)]), before: [] }
}

/** Adds the metres to a position without them, because each needs the other. */
const withMetres = (about: About, filters: readonly Filter[]): readonly Filter[] => {
  const metres = filterFieldsOf(about).find(({ kind }) => kind === 'metres')
  const [{ field }, ...others] = filters as [Filter, ...Filter[]]
  return field.kind === 'position' && others.length === 0 && metres ? [...filters, emptyFilter(metres)] : filters
}

interface AddProps {
  readonly about: About
  readonly button: { current: HTMLButtonElement | null }
  readonly pick: (field: Field) => void
}

/** The menu of all fields, in their groups. */
const AddFilter = ({ about, button, pick }: AddProps) => {
  const t = texts().form
  const fields = filterFieldsOf(about)
  // The editor of a position has the metres around it.
  const isPlaced = fields.some(({ kind }) => kind === 'position')
  const offered = fields.filter(({ kind }) => kind !== 'metres' || !isPlaced)
  return (
    <>
      <button type="button" ref={button} class="add" popovertarget="fields">
        + {t.filter}
      </button>
      <fieldset id="fields" class="fields" popover="auto" aria-label={t.fieldsTitle}>
        {GROUPS.map((group) => (
          <Group
            key={group}
            title={t.groups[group]}
            fields={offered.filter((each) => each.group === group)}
            pick={pick}
          />
        ))}
      </fieldset>
    </>
  )
}

interface GroupProps {
  readonly title: string
  readonly fields: readonly Field[]
  readonly pick: (field: Field) => void
}

const Group = ({ title, fields, pick }: GroupProps) =>
  fields.length === 0 ? null : (
    <section aria-label={title}>
      <h3>{title}</h3>
      {fields.map((field) => (
        <button
          key={field.name}
          type="button"
          title={field.name}
          data-field={field.name}
          popovertarget="fields"
          popovertargetaction="hide"
          onClick={() => pick(field)}
        >
          {labelOf(field)}
        </button>
      ))}
    </section>
  )
