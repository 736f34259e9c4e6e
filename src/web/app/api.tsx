import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { CopyButton } from '../list/cells.tsx'
import { mapTexts } from '../map/shown.ts'
import { tilesOf } from '../map/tiles.ts'
import { filtersOf, hrefOf, isLong, isOgc, type PageAddress, parameter, queryOf } from '../state/address.ts'
import { zoneFor } from '../state/format.ts'
import { eventListAt } from '../state/rows.ts'
import { ask, keyInUse, useAsked } from '../state/service.ts'
import { prefix, shown } from '../state/store.ts'
import { texts } from '../state/text.ts'

const SHOWN = ['allow', 'content-type', 'vary', 'etag', 'last-modified', 'cache-control', 'link', 'server-timing']

/** The request and the answer as a program sees them. The page asks for it when the user opens it. */
export const ApiPanel = () => {
  const { path, parameters } = shown.value.place
  // Other formats than the page have other names for columns.
  const place = { path, parameters: parameters.filter(({ name }) => name !== 'fields') }
  const [isOpen, setOpen] = useState(false)
  const { value: answer } = useAsked(isOpen ? hrefOf(place) : null, async (signal) => {
    const started = performance.now()
    const answer = await ask(place, signal)
    return { ...answer, milliseconds: Math.max(1, Math.round(performance.now() - started)) }
  })
  const { app } = texts()
  const isPosted = isLong(place)
  const { status = 0, headers = [], body } = answer ?? {}
  const told = headers.filter(([name]) => SHOWN.includes(name.toLowerCase()))
  return (
    <details class="panel api" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <h2>{app.api}</h2>
      </summary>
      <section class="row request" aria-label={app.request}>
        <div class="cut">
          <b>{isPosted ? 'POST' : 'GET'}</b> <code class="address">{hrefOf(place)}</code>
        </div>
        {answer !== null && (
          <small class="status">
            {status} {status < 300 ? 'OK' : ''} · {answer.milliseconds} ms
          </small>
        )}
        <div class="row actions">
          <CopyButton label={app.copy.curl} text={() => curlOf(place)} />
          <a class="button" target="_blank" rel="noopener" href={rawOf(place)}>
            {app.raw}
          </a>
          <a class="button" href={`${prefix}/docs`}>
            {app.reference}
          </a>
        </div>
        <TileLinks place={place} />
      </section>
      <Scroll class="headers" label={app.headers}>
        <pre>{[`HTTP ${status}`, ...told.map(([name, value]) => `${titleCase(name)}: ${value}`)].join('\n')}</pre>
      </Scroll>
      <Scroll class="body" label={app.body}>
        <pre>{body !== undefined && <Json body={body} />}</pre>
      </Scroll>
    </details>
  )
}

interface ScrollProps {
  readonly class: string
  readonly label: string
  readonly children: ComponentChildren
}

/** A part that scrolls. It takes the focus, so that the keyboard can scroll it. */
const Scroll = ({ class: name, label, children }: ScrollProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: browsers scroll only the element with the focus by keys.
  <section class={name} aria-label={label} tabIndex={0}>
    {children}
  </section>
)

/** The addresses of the vector tiles of a list of events. */
const TileLinks = ({ place }: { readonly place: PageAddress }) => {
  const listed = eventListAt(place.path)?.inV3(place)
  const [tiles, tileJson, style] = ['{z}/{y}/{x}', 'tilejson.json', 'style.json'].map(
    (below) => listed && tilesOf([...filtersOf(listed), ...zoneFor(listed)], below),
  )
  if (!tiles || !tileJson || !style) return null
  const t = mapTexts()
  return (
    <small>
      {t.tiles} <a href={tileJson}>TileJSON</a> {t.forMapLibre}, <a href={style}>{t.style}</a> {t.forQgis}{' '}
      <code>{tiles}</code>
    </small>
  )
}

const titleCase = (name: string): string =>
  name.replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase()).replace('Etag', 'ETag')

const rawOf = (place: PageAddress): string => {
  const format = isOgc(place) ? 'f' : 'format'
  const others = place.parameters.filter(({ name }) => name !== format)
  return hrefOf({ ...place, parameters: [...others, parameter(format, 'json')] })
}

/** Returns a curl command for the request. The key is a variable, so that nobody copies the key by mistake. */
const curlOf = (place: PageAddress): string => {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const key = keyInUse() === null ? '' : ' -H "Authorization: Bearer $KEY"'
  const to = (address: string) => `curl${key} -H 'Accept: application/json' ${quoted(location.origin + address)}`
  return isLong(place) ? `${to(place.path)} --data ${quoted(queryOf(place).slice(1))}` : to(hrefOf(place))
}

/** Longer answers are shown as text, because so many links would be of no use. */
const MOST = 200_000

/** JSON, whose addresses are links. */
const Json = ({ body }: { readonly body: unknown }) => {
  const text = JSON.stringify(body, null, 2)
  if (text.length > MOST) return <>{text}</>
  const parts = text.split(/"(https?:\/\/[^"\s\\]+)"/)
  return <>{parts.map((part, i) => (i % 2 === 0 ? part : ['"', <a href={part}>{part}</a>, '"']))}</>
}
