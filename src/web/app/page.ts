import { type ListView, makeList } from '../list/list.ts'
import { here, type PageAddress, placeOf, settle } from '../state/address.ts'
import { type Context, readPage } from '../state/context.ts'
import { isEvent } from '../state/event.ts'
import { isSeries, readList, readRow } from '../state/rows.ts'
import {
  ask,
  askPage,
  faultsOf,
  keepList,
  keepState,
  keyInUse,
  messageOf,
  type ServiceAnswer,
} from '../state/service.ts'
import { makeAnswer } from './answer.ts'
import { announce, fill, h } from './dom.ts'
import { tellFaults } from './faults.ts'
import { makeKey } from './key.ts'
import { crumbsOf, isPage } from './links.ts'
import { isBeyond, tellBeyond, tellError } from './lost.ts'
import { describe } from './options.ts'

const first = readPage(document)
const { prefix } = first.context
const main = document.getElementById('page') as HTMLElement
const notice = h('div', { class: 'notice', role: 'alert', hidden: true })
const title = h('h1', { tabindex: '-1' })
const description = h('p', { class: 'description' })
const crumbs = h('nav', { class: 'crumbs', 'aria-label': 'Path to this page' })
const view = h('div', { class: 'view' })
const answer = makeAnswer(() => describe(shown.place.path))

/** The shown place, its context and its list, if it has one. `isRefused` is true if its answer was a 400. */
let shown: { place: PageAddress; context: Context; list: ListView | null; isRefused: boolean } = {
  place: here(),
  context: first.context,
  list: null,
  isRefused: false,
}
let asking = new AbortController()
/** Aborts when another page begins. A list and its map stay as long as its path. */
let page = new AbortController()

/** Shows an answer at a place. If the list is the same, its view stays, so that the form keeps the focus. */
const show = (place: PageAddress, context: Context, received: ServiceAnswer): void => {
  const faults = faultsOf(received)
  const envelope = readList(received.body, place.path)
  keepState(received)
  notice.hidden = true
  answer.update(place, received)
  answer.request.hidden = isHome(place)
  const stays =
    shown.list !== null &&
    shown.place.path === place.path &&
    (envelope !== null || faults !== null || isBeyond(place, received))
  if (!stays) begin(place, context, received)
  shown = { ...shown, place, isRefused: faults !== null }
  const { list } = shown
  if (list !== null && envelope !== null) {
    keepList(place, envelope.count)
    list.update(place, envelope, asking.signal)
  } else if (list !== null && faults !== null) {
    list.refuse(place, faults)
    warn(...tellFaults(place, faults, shown.context.about))
  } else if (list !== null && isBeyond(place, received)) {
    list.refuse(place, {})
    warn(...tellBeyond(place))
  } else if (received.status !== 200) warn(...tellError(place, received, prefix))
  else if (isHome(place)) showLater(async (signal) => (await import('./home.ts')).showHome(prefix, signal))
  else showLater(async (signal) => (await import('./item.ts')).showItem(rowAt(place, received), place, prefix, signal))
}

/** The item of an answer. An item of /ogc does not name its own address. */
const rowAt = (place: PageAddress, { body }: ServiceAnswer): object => readRow(body as object, place.path)

const isHome = ({ path }: PageAddress): boolean => path === `${prefix}/`

/** Most visits begin with a list. Other pages load their scripts when they need them. */
const showLater = (make: (signal: AbortSignal) => Promise<HTMLElement>): void => {
  const { signal } = page
  fill(view)
  make(signal).then((element) => signal.aborted || fill(view, element))
}

/** Starts a page with its title. A list also gets its view, even if the answer has only faults for its form. */
const begin = (place: PageAddress, context: Context, received: ServiceAnswer): void => {
  page.abort()
  page = new AbortController()
  const { about } = context
  const row = received.status === 200 ? rowAt(place, received) : {}
  const isMissing = received.status === 404 && !isBeyond(place, received)
  const name = isMissing ? 'Not found' : nameOf(context, row)
  document.title = name
  title.textContent = name
  // The description is about the list, and not about one item.
  description.textContent = isMissing || isEvent(row) || isSeries(row) ? '' : (about.description ?? '')
  fill(crumbs, crumbsOf(place.path, prefix))
  const isForm = about.filters !== undefined && (faultsOf(received) !== null || isBeyond(place, received))
  const isList = isForm || readList(received.body, place.path) !== null
  const list = isList ? makeList(about, place.path, prefix, (next) => go(next), warn, page.signal) : null
  shown = { ...shown, context, list }
  fill(view, list?.element)
}

const warn = (...words: (Node | string)[]): void => {
  notice.hidden = false
  fill(notice, words)
}

/** Opens a place. The browser's address changes only after a successful answer. */
const go = async (place: PageAddress, move: 'push' | 'replace' | 'none' = 'push'): Promise<void> => {
  asking.abort()
  asking = new AbortController()
  const { signal } = asking
  main.setAttribute('aria-busy', 'true')
  try {
    const stays = shown.list !== null && place.path === shown.place.path
    const { answer: received, context } = stays
      ? { answer: await ask(place, signal), context: shown.context }
      : await askPage(place, signal)
    // If the shown address is faulty, each correction is shown, even if other faults remain.
    const isBetter = stays && shown.isRefused && faultsOf(received) !== null
    if (received.status !== 200 && move !== 'none' && !isBetter) return refuse(received)
    if (move !== 'none') settle(place, move === 'replace')
    show(place, context ?? errorContext(received), received)
    if (!stays && move === 'push') {
      scrollTo(0, 0)
      title.focus({ preventScroll: true })
      announce(title.textContent ?? '')
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    if (!signal.aborted) main.removeAttribute('aria-busy')
  }
}

/** Shows messages at their fields, and changes nothing else. */
const refuse = (received: ServiceAnswer): void => {
  const faults = faultsOf(received)
  const rest = faults === null ? [messageOf(received)] : (shown.list?.tell(faults) ?? Object.values(faults).flat())
  if (rest.length > 0) warn(rest.join(' '))
  else announce('Not changed: a value is not valid')
}

const errorContext = ({ status, headers }: ServiceAnswer): Context => ({
  ...first.context,
  title: `Error ${status}`,
  status,
  headers,
  about: {},
})

/** Returns the name of an item, or the title of the address. */
const nameOf = ({ title: name }: Context, row: object): string => {
  const own = isEvent(row) ? row.value : 'name' in row ? row.name : null
  return typeof own === 'string' && own !== '' ? own : name
}

/** Follows links within the service, so that the key is sent along. */
const follow = (event: MouseEvent): void => {
  const link = event.target instanceof Element ? event.target.closest('a') : null
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
  if (link === null || !isPlain || event.defaultPrevented || link.target !== '' || link.hasAttribute('download')) return
  const address = link.getAttribute('href')
  if (address === null) return
  const place = placeOf(address)
  if (!isHome(place) && !isPage(place, prefix)) return
  event.preventDefault()
  go(place)
}

/** Moves the focus over the filters to the results. */
const skipTo = (event: Event): void => {
  event.preventDefault()
  const target = view.querySelector<HTMLElement>('.results .count') ?? title
  target.tabIndex = -1
  target.focus()
  target.scrollIntoView({ block: 'start' })
}

const start = (): void => {
  const probe = { path: `${prefix}/`, parameters: [] }
  fill(
    main,
    h('div', { class: 'title' }, h('div', {}, title, description)),
    answer.request,
    notice,
    view,
    answer.answer,
  )
  const key = makeKey(probe, () => go(shown.place, 'replace'))
  const reference = h('a', { class: 'button', href: `${prefix}/docs` }, 'Reference')
  const skip = h('a', { class: 'skip', href: '#page', click: skipTo }, 'To the results')
  document.body.prepend(skip, h('header', { class: 'top' }, crumbs, h('div', { class: 'actions' }, reference, key)))
  document.body.append(h('div', { id: 'announcements', class: 'unseen', 'aria-live': 'polite' }))
  main.classList.remove('plain')
  document.addEventListener('click', follow)
  addEventListener('popstate', () => go(here(), 'none'))
  show(shown.place, first.context, { ...first.context, body: first.body, milliseconds: null })
  // The browser loaded this page without the key, so the page asks again.
  if (keyInUse() !== null || history.state?.query !== undefined) go(here(), 'none')
}

start()
