import { useEffect } from 'preact/hooks'
import { headlineOf } from '../list/cells.tsx'
import { ListPage, titleOfList } from '../list/list.tsx'
import type { PageAddress } from '../state/address.ts'
import { isEvent } from '../state/event.ts'
import { formatDay } from '../state/format.ts'
import { isSeries, readRow } from '../state/rows.ts'
import { isBeyond, isForm, prefix, type Shown, shown } from '../state/store.ts'
import { inWords, texts } from '../state/text.ts'
import { later, loadLater } from './loading.ts'

/** The part of the page below the messages. It depends on the answer. */
export const View = () => {
  const now = shown.value
  const title = titleOf(now)
  const tab = tabOf(now, title)
  useEffect(() => {
    document.title = tab
  }, [tab])
  // The first paint shows the rows, so the other parts load after it.
  useEffect(() => {
    loadLater()
  }, [now])
  const { place } = now
  if (isForm(now)) return <ListPage key={place.path} />
  const Page = isHome(place) ? later.value?.HomePage : later.value?.ItemPage
  return (
    <>
      <h1 tabIndex={-1}>{title}</h1>
      {now.answer.status === 200 && <div class="view">{Page !== undefined && <Page key={place.path} />}</div>}
    </>
  )
}

const isHome = ({ path }: PageAddress): boolean => path === `${prefix}/`

/** Returns the title of the browser's tab. The values of many events are the same, so it has their day. */
const tabOf = ({ place, answer }: Shown, title: string): string => {
  if (answer.status !== 200) return title
  if (isHome(place)) return title === texts().item.roots.events ? texts().app.product : title
  const row = readRow(answer.body as object, place.path)
  return isEvent(row) ? `${title}, ${formatDay(row.start)}` : title
}

/** Returns the name of an item or of a list, or the title of the address. */
const titleOf = (now: Shown): string => {
  const { place, context, answer } = now
  if (answer.status === 200 && isHome(place)) return inWords(context.title)
  if (answer.status === 404 && !isBeyond(now)) return texts().app.notFound
  if (isForm(now)) return titleOfList(place.path)
  if (answer.status !== 200 && context.title === '') return texts().app.error(answer.status)
  const row = answer.status === 200 ? readRow(answer.body as object, place.path) : {}
  const own = isEvent(row) ? headlineOf(row) : isSeries(row) || 'name' in row ? row.name : null
  return typeof own === 'string' && own !== '' ? own : context.title
}
