import { useEffect } from 'preact/hooks'
import { headlineOf } from '../list/cells.tsx'
import { ListPage } from '../list/list.tsx'
import { titleOfList } from '../list/listContext.ts'
import { isEvent } from '../state/event.ts'
import { formatDay } from '../state/format.ts'
import { readRow } from '../state/rows.ts'
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
  const { path } = now.place
  if (isForm(now)) return <ListPage key={path} />
  const Page = isHome(now) ? later.value?.HomePage : later.value?.ItemPage
  return (
    <>
      <h1 tabIndex={-1}>{title}</h1>
      {now.status === 200 && <div class="view">{Page !== undefined && <Page key={path} />}</div>}
    </>
  )
}

const isHome = ({ place }: Shown): boolean => place.path === `${prefix}/`

/** Returns the item that the page shows. An item of /ogc does not name its own address. */
const itemOf = ({ status, body, place }: Shown): object => (status === 200 ? readRow(body as object, place.path) : {})

/** Returns the title of the browser's tab. The values of many events are the same, so it has their day. */
const tabOf = (now: Shown, title: string): string => {
  const { item, app } = texts()
  if (now.status === 200 && isHome(now)) return title === item.roots.events ? app.product : title
  const row = itemOf(now)
  return isEvent(row) ? `${title}, ${formatDay(row.start)}` : title
}

/** Returns the name of an item or of a list, or the title of the address. */
const titleOf = (now: Shown): string => {
  const { place, status, title } = now
  if (status === 200 && isHome(now)) return inWords(title)
  if (status === 404 && !isBeyond(now)) return texts().app.notFound
  if (isForm(now)) return titleOfList(place.path)
  if (status !== 200 && title === '') return texts().app.error(status)
  const row = itemOf(now)
  const own = isEvent(row) ? headlineOf(row) : 'name' in row ? row.name : null
  return typeof own === 'string' && own !== '' ? own : title
}
