import { signal } from '@preact/signals'
import { type ComponentChildren, render } from 'preact'
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks'
import { headlineOf } from '../list/cells.tsx'
import { ListPage } from '../list/list.tsx'
import { titleOfList, useDescribed } from '../list/listContext.ts'
import { hrefOf, isPage, placeOf, view } from '../state/address.ts'
import type { DescribedField } from '../state/fields.ts'
import { formatDay } from '../state/format.ts'
import { isEvent, readRow } from '../state/rows.ts'
import { announced, arrival, awaited, go, isForm, prefix, refusal, type Shown, shown, start } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { Header } from './header.tsx'

/** The parts of the page that load after the first rows. Null until they have loaded. */
const later = signal<typeof import('./later.ts') | null>(null)

/** True after the other parts could not be loaded. */
const isLateMissing = signal(false)

/** Loads the other parts of the page. After a failure, the next call tries again. */
const loadLater = async (): Promise<void> => {
  later.value ??= await import('./later.ts').catch(() => null)
  isLateMissing.value = later.value === null
}

/** The part of the page below the messages. It depends on the answer. */
export const View = () => {
  const now = shown.value
  const row = itemOf(now)
  const { fields } = useDescribed(isEvent(row) ? row.series : null)
  const title = titleOf(now, row, fields)
  // The values of many events are the same, so the tab has their day.
  const tab = isEvent(row) ? `${title}, ${formatDay(row.start)}` : title
  useEffect(() => {
    document.title = tab
  }, [tab])
  // The first paint shows the rows, so the other parts load after it.
  useEffect(() => {
    loadLater()
  }, [now])
  const { path } = now.place
  if (isForm(now)) return <ListPage key={path} later={later.value ?? {}} />
  const Page = isHome(now) ? later.value?.HomePage : later.value?.ItemPage
  return (
    <>
      <h1 tabIndex={-1}>{title}</h1>
      {now.status === 200 && <div class="view">{Page !== undefined && <Page key={path} described={fields} />}</div>}
    </>
  )
}

const isHome = ({ place }: Shown): boolean => place.path === `${prefix}/`

/** Returns the item that the page shows. An item of /ogc does not name its own address. */
const itemOf = ({ status, body, place }: Shown): object => (status === 200 ? readRow(body as object, place.path) : {})

/** Returns the name of an item or of a list, or the title of the address. */
const titleOf = (now: Shown, row: object, described: readonly DescribedField[]): string => {
  const { place, status } = now
  const title = later.value?.inWords(now.title) ?? now.title
  if (status === 200 && isHome(now)) return title
  if (isForm(now)) return titleOfList(place.path)
  if (status === 404) return texts().app.notFound
  if (status !== 200 && title === '') return texts().app.error(status)
  const own = isEvent(row) ? headlineOf(row, described) : 'name' in row ? row.name : null
  return typeof own === 'string' && own !== '' ? own : title
}

/** Follows links within the service, so that the key is sent along and the map stays. */
const follow = (event: MouseEvent): void => {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
  // The links of a frame open in a new window.
  if (view.value.has('embed')) link?.setAttribute('target', '_blank')
  if (link === null || !isPlain || event.defaultPrevented || link.target !== '' || link.hasAttribute('download')) return
  // A text of the data may look like an address and be none.
  if (URL.parse(link.href)?.origin !== location.origin || !isPage(placeOf(link.href), prefix)) return
  event.preventDefault()
  go(placeOf(link.href))
}

/** Moves the focus over the header to the title of the page. */
const skip = (event: Event): void => {
  event.preventDefault()
  const title = document.querySelector('h1')
  title?.focus()
  title?.scrollIntoView({ block: 'start' })
}

/** The whole page. */
const Frame = () => {
  const main = useRef<HTMLElement>(null)
  const spot = arrival.value
  useEffect(() => {
    if (spot === null) return
    scrollTo(0, spot.top)
    const aim = spot.link === null ? 'h1' : `[href="${CSS.escape(spot.link)}"]`
    main.current?.querySelector<HTMLElement>(aim)?.focus({ preventScroll: true })
  }, [spot])
  const refused = refusal.value
  useEffect(() => {
    if (refused.answer !== null) main.current?.querySelector('.notice')?.scrollIntoView({ block: 'nearest' })
  }, [refused])
  const { ApiPanel, Notice } = later.value ?? {}
  const { app, units } = texts()
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: without scripts, there is nothing to skip. */}
      <a class="button primary skip" href="#page" onClick={skip}>
        {app.skip}
      </a>
      <Header />
      <main id="page" ref={main} aria-busy={awaited.value !== null || undefined}>
        <div class="notices" role="alert">
          {Notice !== undefined && <Notice />}
          {isLateMissing.value && <Reload text={app.incomplete} />}
        </div>
        <Guard>
          <View />
          {ApiPanel !== undefined && <ApiPanel key={shown.value.place.path} />}
        </Guard>
        <p class="muted on-paper">
          {units.source}: {`${location.origin}${hrefOf(shown.value.place)}`}, {formatDay(Date.now())}
        </p>
      </main>
      <div id="announcements" class="unseen" aria-live="polite">
        {announced.value}
      </div>
    </>
  )
}

/** Shows a part of the page. If it fails, says so until the page shows another answer. */
const Guard = ({ children }: { readonly children: ComponentChildren }) => {
  const failed = useRef<Shown | null>(null)
  const [error, reset] = useErrorBoundary((error) => {
    failed.current = shown.value
    console.error(error)
  })
  const now = shown.value
  useEffect(() => {
    if (failed.current !== now) reset()
  }, [now])
  return error === undefined ? children : <Reload text={texts().app.broken} />
}

const Reload = ({ text }: { readonly text: string }) => (
  <div class="notice">
    {text}{' '}
    <button type="button" onClick={() => location.reload()}>
      {texts().app.retry}
    </button>
  </div>
)

start()
// A frame in another site shows one part of the page. styles/frame.css hides the others.
view.subscribe((parts) => {
  document.documentElement.dataset.embed = parts.get('embed') ?? ''
})
const root = document.createElement('div')
document.addEventListener('click', follow)
document.getElementById('page')?.replaceWith(root)
render(<Frame />, root)
