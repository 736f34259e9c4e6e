import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { changed, exchanged, filtersOf, hrefOf, isOgc, type PageAddress } from '../state/address.ts'
import { type About, type Field, filterFieldsOf, GROUPS, labelOf } from '../state/fields.ts'
import { formatCount } from '../state/format.ts'
import type { SeriesById } from '../state/known.ts'
import { readList } from '../state/rows.ts'
import { ask, useAsked } from '../state/service.ts'
import { go, refusal, shown } from '../state/store.ts'
import { texts, textsOf } from '../state/text.ts'
import { type Edited, Editor } from './editor.tsx'
import {
  chipsOf,
  doubtOf,
  emptyFilter,
  type Filter,
  filterOf,
  firstFaulty,
  nameOf,
  parameterOf,
  renewed,
  wordsOfChip,
} from './filter.ts'

const chipTexts = textsOf({
  title: ['Active filters', 'Actieve filters'],
  clear: ['Clear all', 'Wis alles'],
  edit: ['Change {}', 'Wijzig {}'],
  remove: ['Remove the filter {}', 'Verwijder het filter {}'],
  count: ['{} without it', '{} zonder dit filter'],
})

interface BarProps {
  readonly place: PageAddress
  readonly about: About
  readonly series: SeriesById
  /** True: each chip tells how many rows match without it. */
  readonly isEmpty: boolean
}

/** Parameters that people see as one filter. */
type Chips = PageAddress['parameters']

const namesOf = (parameters: Chips): string[] => parameters.map(({ name }) => name)

/** Keeps what the editor has. It closes when the list has the filter, and opens at a fault. */
const useEdited = (about: About, place: PageAddress) => {
  const [edited, edit] = useState<Edited | null>(null)
  const refused = refusal.value
  useLayoutEffect(() => {
    const faulty = firstFaulty(about, refused)
    const isOpen = edited?.filters.some((each) => (parameterOf(each)?.name ?? nameOf(each)) === faulty?.name)
    if (faulty === null || isOpen) return
    const { filters, before } = editedOf(about, refused.place, [faulty])
    // A number of another language becomes right when the reader applies it.
    edit({ filters: filters.map(renewed), before })
  }, [refused])
  const apply = async (applied: Edited) => {
    if (applied.filters.some((each) => doubtOf(each) !== null)) return
    const after = applied.filters.map(parameterOf).filter((each) => each !== null)
    const next = exchanged(place, applied.before, after)
    if (hrefOf(next) !== hrefOf(place)) await go(next)
    const isApplied = shown.value.status === 200 && hrefOf(shown.value.place) === hrefOf(next)
    if (isApplied) edit((now) => (now === applied ? null : now))
  }
  return { edited, edit, apply }
}

/** The chips of an empty list that tell a count. Each costs a request. */
const MOST_COUNTED = 3

/** The filters of a list. Each is a chip, which an editor changes, and the menu adds one. */
export const FilterBar = ({ place, about, series, isEmpty }: BarProps) => {
  const { edited, edit, apply } = useEdited(about, place)
  const add = useRef<HTMLButtonElement>(null)
  const close = () => {
    edit(null)
    add.current?.focus()
  }
  const chips = chipsOf(about, place)
  const editor = edited && (
    <Editor
      key={edited.before.join()}
      about={about}
      series={series}
      edited={edited}
      edit={edit}
      apply={() => apply(edited)}
      close={close}
    />
  )
  const isEdited = (chip: Chips) => chip.some(({ name }) => edited?.before.includes(name))
  return (
    <>
      {(chips.length > 0 || edited !== null) && (
        <ul class="chips" aria-label={chipTexts().title}>
          {chips.map((chip, i) => (
            <li key={chip[0]?.name}>
              {isEdited(chip) ? (
                editor
              ) : (
                <Chip
                  place={place}
                  chip={chip}
                  words={wordsOfChip(chip, about, series)}
                  isCounted={isEmpty && i < MOST_COUNTED}
                  isEditable={chip.every((each) => filterOf(about, each) !== null)}
                  onEdit={() => edit(editedOf(about, place, chip))}
                />
              )}
            </li>
          ))}
          {edited !== null && !chips.some(isEdited) && <li>{editor}</li>}
        </ul>
      )}
      <AddFilter about={about} button={add} pick={(field) => edit(emptyEdited(about, place, field))} />
      {chips.length > 1 && <a href={hrefOf(exchanged(place, namesOf(filtersOf(place)), []))}>{chipTexts().clear}</a>}
    </>
  )
}

const editedOf = (about: About, place: PageAddress, chip: Chips): Edited => {
  const whole = chipsOf(about, place).find(([first]) => first?.name === chip[0]?.name) ?? chip
  const filters = whole.map((each) => filterOf(about, each)).filter((each) => each !== null)
  return { filters: withMetres(about, filters), before: namesOf(whole) }
}

const emptyEdited = (about: About, place: PageAddress, field: Field): Edited => {
  const filter = emptyFilter(field)
  const given = chipsOf(about, place).find(([first]) => first?.name === nameOf(filter))
  return given ? editedOf(about, place, given) : { filters: withMetres(about, [filter]), before: [] }
}

/** Adds the metres to a position without them, because each needs the other. */
const withMetres = (about: About, filters: readonly Filter[]): readonly Filter[] => {
  const metres = filterFieldsOf(about).find(({ kind }) => kind === 'metres')
  const isAlone = filters.length === 1 && filters[0]?.field.kind === 'position'
  return isAlone && metres ? [...filters, emptyFilter(metres)] : filters
}

interface ChipProps {
  readonly place: PageAddress
  readonly chip: Chips
  readonly words: string
  readonly isCounted: boolean
  readonly isEditable: boolean
  readonly onEdit: () => void
}

/** A count before its answer. It takes about as much room, so little moves. */
const UNKNOWN = '…'.padStart(5, '\u2007')

/** A filter in words. A click edits it, and its link leads to the same list without it. */
const Chip = ({ place, chip, words, isCounted, isEditable, onEdit }: ChipProps) => {
  const t = chipTexts()
  const rest = exchanged(place, namesOf(chip), [])
  const { value: count } = useAsked(isCounted ? hrefOf(rest) : null, (signal) => countOf(rest, signal))
  return (
    <span class="chip">
      <button type="button" class="words cut" disabled={!isEditable} title={t.edit(words)} onClick={onEdit}>
        {words}
      </button>
      {isCounted && <small>{t.count(count === null ? UNKNOWN : formatCount(count))}</small>}
      <a href={hrefOf(rest)} aria-label={t.remove(words)} title={t.remove(words)}>
        ×
      </a>
    </span>
  )
}

const countOf = async (place: PageAddress, signal: AbortSignal): Promise<number | null> => {
  const size = isOgc(place) ? { limit: '1', page_size: null } : { page_size: '1', limit: null }
  const { body } = await ask(changed(place, size), signal)
  return readList(body, place.path)?.count ?? null
}

interface AddProps {
  readonly about: About
  readonly button: { current: HTMLButtonElement | null }
  readonly pick: (field: Field) => void
}

/** Shows all fields. If the list has one series, its columns come first, and a part that opens has the others. */
const AddFilter = ({ about, button, pick }: AddProps) => {
  const t = texts().form
  const fields = filterFieldsOf(about)
  // The editor of a position has the metres around it.
  const isPlaced = fields.some(({ kind }) => kind === 'position')
  const offered = fields.filter(({ kind }) => kind !== 'metres' || !isPlaced)
  const isOfSeries = offered.some(({ isOwn }) => isOwn)
  const own = offered.filter(({ isOwn, column }) => isOfSeries && (isOwn || column === 1))
  const others = offered.filter((field) => !own.includes(field))
  const groups = GROUPS.map((group) => (
    <Group key={group} title={t.groups[group]} fields={others.filter((each) => each.group === group)} pick={pick} />
  ))
  return (
    <>
      <button type="button" ref={button} class="add" popovertarget="fields">
        + {t.filter}
      </button>
      <fieldset id="fields" class="menu fields" popover="auto" aria-label={t.fieldsTitle}>
        <Group title={texts().list.columns.title} fields={own} pick={pick} />
        {own.length === 0 ? (
          groups
        ) : (
          <details>
            <summary>{t.groups.more}</summary>
            <div>{groups}</div>
          </details>
        )}
      </fieldset>
    </>
  )
}

interface GroupProps {
  readonly title: string
  readonly fields: readonly Field[]
  readonly pick: (field: Field) => void
}

/** Fields of the menu below their title. */
const Group = ({ title, fields, pick }: GroupProps) =>
  fields.length > 0 && (
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
