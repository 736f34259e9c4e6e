import type { ComponentChildren } from 'preact'
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks'
import { hrefOf, isPage, placeOf } from '../state/address.ts'
import { formatDay } from '../state/format.ts'
import { announced, arrivals, busy, go, prefix, refusals, returned, type Shown, shown } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { Header } from './header.tsx'
import { isLateMissing, later } from './loading.ts'
import { View } from './view.tsx'

/** Follows links within the service, so that the key is sent along. */
const follow = (event: MouseEvent): void => {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
  if (link === null || !isPlain || event.defaultPrevented || link.target !== '' || link.hasAttribute('download')) return
  // A text of the data may look like an address and be none.
  if (!URL.canParse(link.href)) return
  const place = placeOf(link.href)
  if (new URL(link.href).origin !== location.origin || !isPage(place, prefix)) return
  event.preventDefault()
  go(place)
}

/** Moves the focus over the header to the title of the page. */
const skip = (event: Event): void => {
  event.preventDefault()
  const title = document.querySelector('h1')
  title?.focus()
  title?.scrollIntoView({ block: 'start' })
}

/** The whole page. */
export const Frame = () => {
  const main = useRef<HTMLElement>(null)
  useEffect(() => {
    document.addEventListener('click', follow)
    return () => document.removeEventListener('click', follow)
  }, [])
  const arrival = arrivals.value
  const { ApiPanel, Notice } = later.value ?? {}
  useEffect(() => {
    if (arrival === 0) return
    scrollTo(0, 0)
    main.current?.querySelector('h1')?.focus({ preventScroll: true })
  }, [arrival])
  const spot = returned.value
  useEffect(() => {
    if (spot === null) return
    scrollTo(0, spot.top)
    const link =
      spot.link === null ? null : main.current?.querySelector<HTMLElement>(`[href="${CSS.escape(spot.link)}"]`)
    link?.focus({ preventScroll: true })
  }, [spot])
  const refusal = refusals.value
  useEffect(() => {
    if (refusal > 0) main.current?.querySelector('.notice')?.scrollIntoView({ block: 'nearest' })
  }, [refusal])
  return (
    <>
      {/* biome-ignore lint/a11y/useValidAnchor: without scripts, there is nothing to skip. */}
      <a class="skip" href="#page" onClick={skip}>
        {texts().app.skip}
      </a>
      <Header />
      <main id="page" ref={main} aria-busy={busy.value ? 'true' : undefined}>
        <div class="notices" role="alert">
          {Notice !== undefined && <Notice />}
          {isLateMissing.value && <Reload text={texts().app.incomplete} />}
        </div>
        <Guard>
          <View />
          {ApiPanel !== undefined && <ApiPanel key={shown.value.place.path} />}
        </Guard>
        <p class="on-paper">
          {texts().units.source}: {`${location.origin}${hrefOf(shown.value.place)}`}, {formatDay(Date.now())}
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
