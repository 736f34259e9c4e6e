import { ONE_ATTRIBUTE } from '../../formats/columns.ts'
import { changed, givenIn, isOgc, setView, view } from '../state/address.ts'
import { orderLabel, titleOf } from '../state/fields.ts'
import { go } from '../state/store.ts'
import { texts, textsOf } from '../state/text.ts'
import { Options } from './cells.tsx'
import type { ListColumns } from './columns.ts'
import { Menu, ordered } from './controls.tsx'
import { Downloads, Subscribe } from './downloads.tsx'
import { EmbedCodes } from './embed.tsx'
import { Excel } from './excel.tsx'
import type { CountedProps, PartProps } from './listContext.ts'

const chooserTexts = textsOf({
  some: ['Columns {}/{}', 'Kolommen {}/{}'],
  earlier: ['Move {} forward', '{} naar voren'],
  usual: ['Usual columns', 'Gewone kolommen'],
})

/** Controls the order, the columns, the map and the downloads of a list. */
export const Actions = (props: CountedProps) => {
  const { place, about, known, counted } = props
  const { columns, origin, isPictured } = known
  const t = texts().list.panes
  const isOpen = view.value.get('pictures') !== 'off'
  return (
    <>
      {!view.value.has('group') && <Order place={place} about={about} />}
      {columns.shown.length > 0 && !isOgc(place) && <Columns place={place} {...columns} />}
      {isPictured && (
        <button
          type="button"
          class="wide-only"
          aria-expanded={isOpen}
          onClick={() => setView({ pictures: isOpen ? 'off' : null })}
        >
          {isOpen ? t.hide : t.show}
        </button>
      )}
      <Downloads
        place={place}
        renders={about.renders ?? []}
        counted={counted}
        origin={origin}
        excel={known.events !== null && <Excel {...props} />}
        embed={known.events !== null && <EmbedCodes place={place} counted={counted} />}
      />
      <Subscribe place={place} renders={about.renders ?? []} />
    </>
  )
}

/** The choice of an order, in words. Only events near a position have a distance. */
const Order = ({ place, about }: Pick<PartProps, 'place' | 'about'>) => {
  const isNear = givenIn(place, 'near') !== null
  const given = givenIn(place, 'ordering') ?? 'id'
  const own = (about.fields ?? []).flatMap(({ kind, order }) => (kind === ONE_ATTRIBUTE && order ? [order] : []))
  const orders = about.ordering ?? []
  // Values that are numbers need no order by their texts.
  const isNumeric = about.fields?.some(({ name, isOwn, decimals }) => name === 'value' && isOwn && decimals !== null)
  const named = [...orders, ...(isOgc(place) ? [] : own)]
    .flatMap((name) => [name, `-${name}`])
    .filter((order) => !/^-?distance$/.test(order) || (isNear && order === 'distance'))
    .filter((order) => order === given || !isNumeric || !/^-?value$/.test(order))
  if (orders.length === 0) return null
  const offered = named.includes(given) ? named : [...named, given]
  return (
    <label class="order">
      <span class="unseen">{texts().list.order.title}</span>
      <select
        id="ordering"
        value={given}
        onChange={({ currentTarget: { value } }) => go(ordered(place, value === 'id' ? null : value))}
      >
        <Options of={offered.map((order) => [order, orderLabel(about, order)])} />
      </select>
    </label>
  )
}

type ColumnsProps = Pick<PartProps, 'place'> & Pick<ListColumns, 'every' | 'shown'>

/** Chooses and orders the columns of the table. Shown columns come first. The address keeps the choice. */
const Columns = ({ place, every, shown }: ColumnsProps) => {
  const t = chooserTexts()
  const { columns } = texts().list
  const names = shown.map(({ name }) => name)
  const choose = (chosen: readonly string[]) =>
    go(changed(place, { fields: chosen.length === 0 ? null : chosen.join(), page: givenIn(place, 'page') }))
  const toggle = (name: string) =>
    choose(names.includes(name) ? names.filter((each) => each !== name) : [...names, name])
  const hidden = every.filter(({ name }) => !names.includes(name))
  const others = hidden.toSorted((a, b) => Number(b.isOwn) - Number(a.isOwn))
  return (
    <Menu name="columns" title={others.length === 0 ? columns.title : t.some(shown.length, every.length)}>
      <ul>
        {[...shown, ...others].map((column, i) => (
          <li key={column.name} class="row">
            <label>
              <input type="checkbox" checked={i < shown.length} onChange={() => toggle(column.name)} />
              {titleOf(column)}
            </label>
            {i > 0 && i < shown.length && (
              <button
                type="button"
                class="quiet"
                aria-label={t.earlier(titleOf(column))}
                title={t.earlier(titleOf(column))}
                onClick={() => choose(names.with(i - 1, column.name).with(i, names[i - 1] ?? ''))}
              >
                ↑
              </button>
            )}
          </li>
        ))}
      </ul>
      {givenIn(place, 'fields') !== null && (
        <button type="button" class="quiet" onClick={() => choose([])}>
          {t.usual}
        </button>
      )}
    </Menu>
  )
}
