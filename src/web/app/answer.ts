import { hrefOf, isLong, isOgc, type PageAddress, parameter, queryOf } from '../state/address.ts'
import { keyInUse, type ServiceAnswer } from '../state/service.ts'
import { announce, fill, h } from './dom.ts'
import { showJson } from './json.ts'

/** The request and the answer as a program sees them. */
export interface AnswerView {
  readonly request: HTMLElement
  readonly answer: HTMLElement
  readonly update: (place: PageAddress, answer: ServiceAnswer) => void
}

const SHOWN = ['allow', 'content-type', 'vary', 'etag', 'last-modified', 'cache-control', 'link', 'server-timing']

/** Makes the request line with its buttons, and the answer with its headers. */
export const makeAnswer = (describe: () => void): AnswerView => {
  let shown: PageAddress
  const method = h('b', {})
  const address = h('code', { class: 'address' })
  const status = h('span', { class: 'status' })
  const raw = h('a', { class: 'button', target: '_blank', rel: 'noopener' }, 'Raw JSON')
  const copy = h(
    'button',
    {
      type: 'button',
      click: async () => {
        const done = await navigator.clipboard.writeText(curlOf(shown)).then(
          () => true,
          () => false,
        )
        copy.textContent = done ? 'Copied' : 'Not copied'
        announce(done ? 'The command was copied' : 'The browser did not let the page copy')
        setTimeout(() => fill(copy, 'Copy as curl'), 2000)
      },
    },
    'Copy as curl',
  )
  const options = h('button', { type: 'button', click: describe }, 'OPTIONS')
  const request = h(
    'section',
    { class: 'request', 'aria-label': 'Request' },
    h('div', { class: 'line-of-request', tabindex: '0', role: 'group', 'aria-label': 'Request line' }, method, address),
    status,
    h('div', { class: 'actions' }, copy, options, raw),
  )
  const headers = h('pre', { class: 'headers', tabindex: '0', 'aria-label': 'Headers of the answer' })
  const body = h('pre', { class: 'body', tabindex: '0', 'aria-label': 'Body of the answer' })
  const answer = h('details', { class: 'panel answer' }, h('summary', {}, h('h2', {}, 'Answer as JSON')), headers, body)
  let fillBody: (() => void) | null = null
  answer.addEventListener('toggle', () => {
    if (!answer.open) return
    fillBody?.()
    fillBody = null
  })
  const update = (place: PageAddress, { status: code, headers: sent, body: content, milliseconds }: ServiceAnswer) => {
    shown = place
    method.textContent = isLong(place) ? 'POST' : 'GET'
    address.textContent = hrefOf(place)
    status.textContent = `${code} ${code < 300 ? 'OK' : ''}`
    if (milliseconds !== null) status.textContent += ` · ${Math.max(1, Math.round(milliseconds))} ms`
    raw.href = rawOf(place)
    headers.textContent = [
      `HTTP ${code}`,
      ...sent.filter(isShown).map(([name, value]) => `${nice(name)}: ${value}`),
    ].join('\n')
    // The body may be long. So the page writes it only when the user opens it.
    fillBody = () => fill(body, showJson(content))
    if (!answer.open) return
    fillBody()
    fillBody = null
  }
  return { request, answer, update }
}

const isShown = ([name]: readonly [string, string]): boolean => SHOWN.includes(name.toLowerCase())

const nice = (name: string): string =>
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
