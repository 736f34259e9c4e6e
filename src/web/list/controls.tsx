import type { ComponentChildren } from 'preact'
import { changed, givenIn, hrefOf, isOgc, type PageAddress, turnedTo } from '../state/address.ts'
import { type About, orderLabel } from '../state/fields.ts'
import { formatCount } from '../state/format.ts'
import { isEvent, type ListAnswer } from '../state/rows.ts'
import { go } from '../state/store.ts'
import { texts, textsOf } from '../state/text.ts'
import { Options } from './cells.tsx'

const SIZES = [10, 50, 100, 500, 1000, 5000, 10_000]

const orderTexts = textsOf({
  noNumbers: [
    'No value starts with a number, so the values cannot be in the order of their size. Order by:',
    'Geen enkele waarde begint met een getal. De waarden kunnen dus niet op grootte staan. Sorteer op:',
  ],
})

/** A list and its description. */
interface ListProps {
  readonly place: PageAddress
  readonly about: About
}

/** The links to other pages, and the size of a page. Under /ogc, pages begin at an offset. */
export const Pager = ({ place, about, list: { count, next, previous } }: ListProps & { readonly list: ListAnswer }) => {
  const t = texts().list.pager
  const isByOffset = isOgc(place)
  const [usual, greatest] = isByOffset ? [100, 10_000] : (about.page_size ?? [10, 1000])
  const name = isByOffset ? 'limit' : 'page_size'
  const rows = Number(givenIn(place, name)) || usual
  const last = Math.max(1, Math.ceil(count / rows))
  const given = givenIn(place, 'page') ?? '1'
  const numbered = given === 'last' ? last : Number(given)
  const page = isByOffset ? Math.floor(Number(givenIn(place, 'offset')) / rows) + 1 : numbered
  const sizes = [...new Set([...SIZES.filter((each) => each <= greatest), rows])].sort((a, b) => a - b)
  const toLast = isByOffset ? { offset: String((last - 1) * rows) } : { page: 'last', after: null }
  const resize = (size: string) => go(changed(place, { [name]: size === String(usual) ? null : size }))
  return (
    <nav class="row pager" aria-label={t.title}>
      <div class="row">
        <Step text="«" label={t.first} target={page > 1 ? changed(place, {}) : null} />
        <Step text="‹" label={t.previous} target={previous === null ? null : turnedTo(place, previous)} />
        <span>{t.page(page, last)}</span>
        <Step text="›" label={t.next} target={next === null ? null : turnedTo(place, next)} />
        <Step text="»" label={t.last} target={page < last ? changed(place, toLast) : null} />
      </div>
      <label>
        {t.rows}{' '}
        <select id="page-size" value={rows} onChange={({ currentTarget }) => resize(currentTarget.value)}>
          <Options of={sizes.map((each) => [each, formatCount(each)])} />
        </select>
      </label>
    </nav>
  )
}

type StepProps = Readonly<Record<'text' | 'label', string>> & { readonly target: PageAddress | null }

/** A link to a page. Without an address it is disabled. */
const Step = ({ text, label, target }: StepProps) => (
  <a
    class="button step"
    role="link"
    aria-disabled={target === null || undefined}
    aria-label={label}
    title={label}
    {...(target !== null && { href: hrefOf(target) })}
  >
    {text}
  </a>
)

type MenuProps = Readonly<Record<'name' | 'title', string>> & { readonly children: ComponentChildren }

/** A button that opens a menu. A page has each menu once. */
export const Menu = ({ name, title, children }: MenuProps) => (
  <>
    <button type="button" popovertarget={name}>
      {title}
    </button>
    <div id={name} class="menu" popover="auto">
      {children}
    </div>
  </>
)

export const ordered = (place: PageAddress, order: string | null): PageAddress =>
  changed(place, { ordering: order, after: null })

/** The number at the beginning of a value, as the service reads it. It reads none before a decimal comma. */
export const NUMBER = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?!\d|,\d)/

/** Says that no value starts with a number, if the list is in the order of the numbers. Values without one come last. */
export const NoNumbers = ({ place, about, rows }: ListProps & { readonly rows: readonly object[] }) => {
  const [first] = rows
  const isFirst = (givenIn(place, 'page') ?? '1') === '1'
  if (!isFirst || first === undefined || !isEvent(first) || NUMBER.test(first.value)) return null
  if (!/^-?value_number$/.test(givenIn(place, 'ordering') ?? '')) return null
  const instant = about.fields?.find(({ kind, order }) => kind === 'instant' && order !== undefined)
  const others = ['value', ...(instant === undefined ? [] : [`-${instant.order}`])]
  return (
    <p class="panel no-numbers">
      {orderTexts().noNumbers}{' '}
      {others.map((order, i) => (
        <>
          {i > 0 && ' · '}
          <a href={hrefOf(ordered(place, order))}>{orderLabel(about, order)}</a>
        </>
      ))}
    </p>
  )
}
