import { changed, givenIn, hrefOf, isOgc, type PageAddress, turnedTo } from '../state/address.ts'
import type { About } from '../state/fields.ts'
import { formatCount } from '../state/format.ts'
import type { ListAnswer } from '../state/rows.ts'
import { go } from '../state/store.ts'
import { texts } from '../state/text.ts'

const SIZES = [10, 50, 100, 500, 1000, 5000, 10_000]

/** The parameter for the page size under /ogc, its default and its maximum. */
const OGC_SIZES = { name: 'limit', usual: 100, greatest: 10_000 }

const sizesOf = (place: PageAddress, { page_size: [usual, greatest] = [10, 1000] }: About): typeof OGC_SIZES =>
  isOgc(place) ? OGC_SIZES : { name: 'page_size', usual, greatest }

interface PagerProps {
  readonly place: PageAddress
  readonly about: About
  readonly list: ListAnswer
}

/** The links to other pages, and the size of a page. */
export const Pager = ({ place, about, list: { count, next, previous } }: PagerProps) => {
  const t = texts().list.pager
  const { name, usual, greatest } = sizesOf(place, about)
  const rows = Number(givenIn(place, name)) || usual
  const last = Math.max(1, Math.ceil(count / rows))
  const page = pageOf(place, rows, last)
  const sizes = [...new Set([...SIZES.filter((each) => each <= greatest), rows])].sort((a, b) => a - b)
  const toLast = isOgc(place) ? { offset: String((last - 1) * rows) } : { page: 'last', after: null }
  const resize = (size: string) => go(changed(place, { [name]: size === String(usual) ? null : size }))
  return (
    <nav class="pager" aria-label={t.title}>
      <div class="links">
        <Step text="«" label={t.first} target={page > 1 ? changed(place, { page: null, offset: null }) : null} />
        <Step text="‹" label={t.previous} target={previous === null ? null : turnedTo(place, previous)} />
        <span>{t.page(page, last)}</span>
        <Step text="›" label={t.next} target={next === null ? null : turnedTo(place, next)} />
        <Step text="»" label={t.last} target={page < last ? changed(place, toLast) : null} />
      </div>
      <label>
        {t.rows}{' '}
        <select id="page-size" value={rows} onChange={({ currentTarget }) => resize(currentTarget.value)}>
          {sizes.map((each) => (
            <option key={each} value={each}>
              {formatCount(each)}
            </option>
          ))}
        </select>
      </label>
    </nav>
  )
}

const pageOf = (place: PageAddress, rows: number, last: number): number => {
  if (isOgc(place)) return Math.floor(Number(givenIn(place, 'offset') ?? 0) / rows) + 1
  const page = givenIn(place, 'page') ?? '1'
  return page === 'last' ? last : Number(page)
}

interface StepProps {
  readonly text: string
  readonly label: string
  readonly target: PageAddress | null
}

const Step = ({ text, label, target }: StepProps) =>
  target === null ? (
    // biome-ignore lint/a11y/useValidAnchor: a link without an address is disabled.
    <a class="button step" role="link" aria-disabled="true" aria-label={label} title={label}>
      {text}
    </a>
  ) : (
    <a class="button step" href={hrefOf(target)} aria-label={label} title={label}>
      {text}
    </a>
  )
