import { changed, givenIn, hrefOf, isOgc, type PageAddress, turnedTo } from '../state/address.ts'
import type { About } from '../state/fields.ts'
import { formatCount } from '../state/format.ts'
import type { ListAnswer } from '../state/rows.ts'
import { go } from '../state/store.ts'
import { texts } from '../state/text.ts'

const SIZES = [10, 50, 100, 500, 1000, 5000, 10_000]

interface PagerProps {
  readonly place: PageAddress
  readonly about: About
  readonly list: ListAnswer
}

/** The links to other pages, and the size of a page. Under /ogc, pages begin at an offset. */
export const Pager = ({ place, about, list: { count, next, previous } }: PagerProps) => {
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

interface StepProps {
  readonly text: string
  readonly label: string
  readonly target: PageAddress | null
}

/** A link to a page. Without an address it is disabled. */
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
