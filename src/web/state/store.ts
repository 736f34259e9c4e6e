import { signal } from '@preact/signals'
import { filtersOf, givenIn, here, hrefOf, type PageAddress, readView, settle, zoneIn } from './address.ts'
import { zoneAsked } from './format.ts'
import { type EventItem, isList, readList } from './rows.ts'
import { askAs, type Faults, faultsOf, keyInUse, readPage, type ServiceAnswer } from './service.ts'
import { texts } from './text.ts'

/** The answer that the page shows, and its place. */
export interface Shown extends ServiceAnswer {
  readonly place: PageAddress
}

const first = readPage(document)
if (first === null) throw new Error('the page has no answer')
/** The path before every path of the service, without a slash at its end. */
export const { prefix } = first

export const shown = signal<Shown>({ place: here(), ...first })
/** The place that the page waits for. Null without one. */
export const awaited = signal<PageAddress | null>(null)
/** An answer that the page does not show. Its messages are those of a 400, by parameter. */
export interface RefusedAnswer {
  readonly place: PageAddress
  /** Null: the page shows the last answer, which may be a 400 with messages. */
  readonly answer: ServiceAnswer | null
  readonly messages: Faults
}

export const refusal = signal<RefusedAnswer>({ place: here(), answer: null, messages: {} })
/** The last text for screen readers. */
export const announced = signal('')

/** Announces a text to screen readers, also if the last text was the same. */
export const announce = (text: string): void => {
  announced.value = announced.value === text ? `${text}\u00a0` : text
}

/** The place of the reader on a page: the pixels above the screen, and the link with the focus, or else null. */
interface Spot {
  readonly top: number
  readonly link: string | null
}

/** Where to go on the page that was just opened. Null: the reader stays where they are. */
export const arrival = signal<Spot | null>(null)

/** Keeps in the history where the reader is. */
const keepSpot = (): void => {
  const spot: Spot = { top: scrollY, link: document.activeElement?.getAttribute('href') ?? null }
  history.replaceState({ ...history.state, spot }, '')
}

let asking = new AbortController()

/** Shows an answer, and forgets the messages about the answer before. */
const show = (next: Shown): void => {
  refusal.value = { place: next.place, answer: null, messages: faultsOf(next) ?? {} }
  zoneAsked.value = zoneIn(next.place)
  shown.value = next
}

/**
 * Shows a place. `move` opens it, and the browser's address changes only after a successful answer. `back` shows the
 * place of the browser where the reader left it, and `again` only asks for it again. Both show any answer.
 */
export const go = async (place: PageAddress, way: 'move' | 'back' | 'again' = 'move'): Promise<void> => {
  const isMove = way === 'move'
  asking.abort()
  asking = new AbortController()
  const { signal } = asking
  awaited.value = place
  try {
    const answer = await askAs('text/html', place, signal)
    const from = shown.value
    const stays = place.path === from.place.path && isForm(from)
    // If the shown address is faulty, each correction is shown, even if other faults remain.
    const isBetter = stays && faultsOf(from) !== null && faultsOf(answer) !== null
    if (answer.status !== 200 && isMove && !isBetter) {
      const messages = faultsOf(answer)
      refusal.value = { place, answer, messages: messages ?? {} }
      if (messages !== null) announce(texts().app.notChanged)
      return
    }
    if (isMove) {
      keepSpot()
      settle(place, isList(from.body) ? hrefOf(from.place) : null)
    }
    show({ place, ...answer })
    if (way === 'back') arrival.value = history.state?.spot ?? null
    if (isMove && !stays) arrival.value = { top: 0, link: null }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    if (!signal.aborted) awaited.value = null
  }
}

/** Filters that follow the clock have other results after this time, in milliseconds. */
const RENEWAL = 60_000

/** Asks again for a list whose filters follow the clock, if the reader sees the page. Equal rows change nothing. */
const renew = async (): Promise<void> => {
  const { place, body } = shown.value
  const isMoving = filtersOf(place).some(({ value }) => /(^|[,/])now\b/.test(value))
  if (!isMoving || document.hidden || awaited.value !== null) return
  const answer = await askAs('text/html', place)
  const [before, after] = [body, answer.body].map((each) => JSON.stringify(readList(each, place.path)?.results))
  const isNew = after !== undefined && after !== before
  if (isNew && shown.value.place === place && awaited.value === null) show({ place, ...answer })
}

/** Tests if a place has a form, which can also correct a faulty address. */
export const isForm = (now: Shown): boolean =>
  isList(now.body) || (now.about.filters !== undefined && (faultsOf(now) !== null || isBeyond(now)))

/** Tests if an answer is the 404 of a page beyond the end of a list. The list's form still works then. */
export const isBeyond = ({ place, status }: Shown): boolean => status === 404 && givenIn(place, 'page') !== null

/** Starts the page. The browser loaded it without a key, so the page asks again with the key. */
export const start = (): void => {
  addEventListener('popstate', () => {
    readView()
    if (hrefOf(here()) !== hrefOf(shown.value.place)) return go(here(), 'back')
    // Only the fragment has changed, or the reader is back before the other page arrived.
    asking.abort()
    awaited.value = null
  })
  // The browser may show a document again that it kept while another one changed the key.
  let key = keyInUse()
  addEventListener('pagehide', () => {
    key = keyInUse()
  })
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted && keyInUse() !== key) location.reload()
  })
  setInterval(renew, RENEWAL)
  show(shown.value)
  if (keyInUse() !== null || history.state?.query !== undefined) go(here(), 'again')
}

/** The event under the pointer. The map and the table mark it, and the graph marks its bar. Null without one. */
export const pointed = signal<Pick<EventItem, 'id' | 'start'> | null>(null)
