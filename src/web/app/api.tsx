import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { mapTexts } from '../map/text.ts'
import { tilesOf } from '../map/tiles.ts'
import { filtersOf, hrefOf, isLong, isOgc, type PageAddress, parameter, queryOf } from '../state/address.ts'
import { eventListAt } from '../state/event.ts'
import { keyInUse, type ServiceAnswer } from '../state/service.ts'
import { announce, shown } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { Scroll } from './scroll.tsx'

const SHOWN = ['allow', 'content-type', 'vary', 'etag', 'last-modified', 'cache-control', 'link', 'server-timing']

/** The request and the answer as a program sees them. It is closed at first, because few people need it. */
export const ApiPanel = () => {
  const { place, answer } = shown.value
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="panel api" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <h2>{texts().app.api}</h2>
      </summary>
      <RequestLine place={place} answer={answer} />
      <Scroll class="headers" label={texts().app.headers}>
        <pre>{headersOf(answer)}</pre>
      </Scroll>
      {/* The body may be long. So the page writes it only when the user opens it. */}
      <Scroll class="body" label={texts().app.body}>
        <pre>{isOpen && <Json body={answer.body} />}</pre>
      </Scroll>
    </details>
  )
}

const RequestLine = ({ place, answer }: { readonly place: PageAddress; readonly answer: ServiceAnswer }) => {
  const { status, milliseconds } = answer
  const time = milliseconds === null ? '' : ` · ${Math.max(1, Math.round(milliseconds))} ms`
  return (
    <section class="request" aria-label={texts().app.request}>
      <div class="line-of-request">
        <b>{isLong(place) ? 'POST' : 'GET'}</b> <code class="address">{hrefOf(place)}</code>
      </div>
      <small class="status">
        {status} {status < 300 ? 'OK' : ''}
        {time}
      </small>
      <div class="actions">
        <Copy place={place} />
        <a class="button" target="_blank" rel="noopener" href={rawOf(place)}>
          {texts().app.raw}
        </a>
      </div>
      <TileLinks place={place} />
    </section>
  )
}

/** The addresses of the vector tiles of a list of events. */
const TileLinks = ({ place }: { readonly place: PageAddress }) => {
  const listed = eventListAt(place.path)?.inV3(place)
  const [tiles, tileJson, style] = ['{z}/{y}/{x}', 'tilejson.json', 'style.json'].map(
    (below) => listed && tilesOf(filtersOf(listed), below),
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

const Copy = ({ place }: { readonly place: PageAddress }) => {
  const t = texts().app.copy
  const [text, setText] = useState<string | null>(null)
  const copy = async () => {
    const isDone = await copied(curlOf(place))
    setText(isDone ? t.done : t.failed)
    announce(isDone ? t.done : t.failed)
    setTimeout(() => setText(null), 2000)
  }
  return (
    <button type="button" onClick={copy}>
      {text ?? t.curl}
    </button>
  )
}

/** Copies a text. Only a secure address has the clipboard of the browser. Returns false after a failure. */
const copied = async (text: string): Promise<boolean> => {
  if (navigator.clipboard !== undefined)
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  const field = Object.assign(document.createElement('textarea'), { value: text })
  document.body.append(field)
  field.select()
  const isDone = document.execCommand('copy')
  field.remove()
  return isDone
}

const headersOf = ({ status, headers }: ServiceAnswer): string =>
  [
    `HTTP ${status}`,
    ...headers
      .filter(([name]) => SHOWN.includes(name.toLowerCase()))
      .map(([name, value]) => `${titleCase(name)}: ${value}`),
  ].join('\n')

const titleCase = (name: string): string =>
  name
    .toLowerCase()
    .replace(/(^|-)[a-z]/g, (letter) => letter.toUpperCase())
    .replace('Etag', 'ETag')

const rawOf = (place: PageAddress): string => {
  const format = isOgc(place) ? 'f' : 'format'
  const others = place.parameters.filter(({ name }) => name !== format)
  return hrefOf({ ...place, parameters: [...others, parameter(format, 'json')] })
}

/** Returns a curl command for the request. The key is a variable, so that nobody copies the key by mistake. */
const curlOf = (place: PageAddress): string => {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const key = keyInUse() === null ? '' : ' -H "Authorization: Bearer $KEY"'
  const address = quoted(`${location.origin}${isLong(place) ? place.path : hrefOf(place)}`)
  return `curl${key} -H 'Accept: application/json' ${address}${isLong(place) ? ` --data ${quoted(queryOf(place).slice(1))}` : ''}`
}

const ADDRESS = /^https?:\/\/[^\s\\]+$/
/** Longer answers are shown as text, because so many links would be of no use. */
const MOST = 200_000

/** JSON, whose addresses are links. */
export const Json = ({ body }: { readonly body: unknown }) => {
  const text = JSON.stringify(body, null, 2)
  if (text.length > MOST) return <>{text}</>
  const parts: ComponentChildren[] = []
  let from = 0
  for (const { 0: whole, 1: inner = '', index } of text.matchAll(/"((?:[^"\\]|\\.)*)"/g)) {
    if (!ADDRESS.test(inner)) continue
    parts.push(text.slice(from, index + 1), <a href={inner}>{inner}</a>)
    from = index + whole.length - 1
  }
  return (
    <>
      {parts}
      {text.slice(from)}
    </>
  )
}
