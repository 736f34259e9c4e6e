import { signal } from '@preact/signals'
import { givenIn, here, hrefOf, type PageAddress, settle } from './address.ts'
import { type Context, readPage } from './context.ts'
import { isList } from './rows.ts'
import { ask, askPage, type Faults, faultsOf, keyInUse, type ServiceAnswer } from './service.ts'
import { texts } from './text.ts'

/** The place that the page shows, what is known about it, and its answer. */
export interface Shown {
  readonly place: PageAddress
  readonly context: Context
  readonly answer: ServiceAnswer
}

const first = readPage(document)
if (first === null) throw new Error('the page has no answer')
/** The path before every path of the service, without a slash at its end. */
export const { prefix } = first.context

export const shown = signal<Shown>({
  place: here(),
  context: first.context,
  answer: { ...first.context, body: first.body, milliseconds: null },
})
/** True while the page waits for an answer. */
export const busy = signal(false)
/** A request that failed. */
interface Failure {
  readonly answer: ServiceAnswer
  /** The place to ask again. Null if the answer would be the same. */
  readonly retry: PageAddress | null
}

/** A failure that the page above the rows tells. Null without one. */
export const failure = signal<Failure | null>(null)
/** The place that the service last refused, and its messages by parameter. They are empty after any other answer. */
export interface Refusal {
  readonly place: PageAddress
  readonly messages: Faults
}

export const faults = signal<Refusal>({ place: here(), messages: {} })
/** The last text for screen readers. */
export const announced = signal('')
/** The title of a new page gets the focus. */
export const arrivals = signal(0)
/** Counts the refused requests, so that the page shows each message. */
export const refusals = signal(0)

/** Where the reader was on a page: the pixels above the screen, and the address of the link with the focus. */
interface Spot {
  readonly top: number
  readonly link: string | null
}

/** Where the reader was on the page to which they came back. Null if the page does not know it. */
export const returned = signal<Spot | null>(null)

/** Keeps in the history where the reader is. */
const keepSpot = (): void => {
  const spot: Spot = { top: scrollY, link: document.activeElement?.getAttribute('href') ?? null }
  history.replaceState({ ...history.state, spot }, '')
}

/** Announces a text to screen readers, also if the last text was the same. */
export const announce = (text: string): void => {
  announced.value = announced.value === text ? `${text}\u00a0` : text
}

let asking = new AbortController()

/** Shows an answer, and forgets the messages about the answer before. */
const show = (next: Shown): void => {
  failure.value = null
  faults.value = { place: next.place, messages: faultsOf(next.answer) ?? {} }
  shown.value = next
}

/** Requests a list, or its page if it has faults: only a page has their codes. */
const askList = async (place: PageAddress, signal: AbortSignal): Promise<ServiceAnswer> => {
  const answer = await ask(place, signal)
  return faultsOf(answer) === null ? answer : (await askPage(place, signal)).answer
}

/** Opens a place. The browser's address changes only after a successful answer. */
export const go = async (place: PageAddress, move: 'push' | 'replace' | 'none' = 'push'): Promise<void> => {
  asking.abort()
  asking = new AbortController()
  const { signal } = asking
  const { place: from, context: known, answer: current } = shown.value
  const stays = place.path === from.path && isForm(shown.value)
  busy.value = true
  try {
    const { answer, context } = stays
      ? { answer: await askList(place, signal), context: known }
      : await askPage(place, signal)
    // If the shown address is faulty, each correction is shown, even if other faults remain.
    const isBetter = stays && faultsOf(current) !== null && faultsOf(answer) !== null
    if (answer.status !== 200 && move !== 'none' && !isBetter) return refuse(place, answer)
    if (move === 'push') keepSpot()
    if (move !== 'none') settle(place, move === 'replace')
    show({ place, context: context ?? { ...first.context, title: '', about: {} }, answer })
    if (!stays && move === 'push') arrivals.value++
    if (move === 'none') returned.value = history.state?.spot ?? null
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    if (!signal.aborted) busy.value = false
  }
}

/** Tests if a place has a form, which can also correct a faulty address. */
export const isForm = ({ place, context, answer }: Shown): boolean =>
  isList(answer.body) ||
  (context.about.filters !== undefined && (faultsOf(answer) !== null || isBeyond({ place, answer })))

/** Tests if an answer is the 404 of a page beyond the end of a list. The list's form still works then. */
export const isBeyond = ({ place, answer }: Pick<Shown, 'place' | 'answer'>): boolean =>
  answer.status === 404 && givenIn(place, 'page') !== null

/** Shows messages beside the filters, and changes nothing else. */
const refuse = (place: PageAddress, answer: ServiceAnswer): void => {
  const found = faultsOf(answer)
  faults.value = { place, messages: found ?? {} }
  failure.value = found === null ? { answer, retry: mayPass(answer) ? place : null } : null
  refusals.value++
  if (found !== null) announce(texts().app.notChanged)
}

/** Tests if the same request may succeed later. */
const mayPass = ({ status }: ServiceAnswer): boolean => status < 400 || status >= 500 || [408, 429].includes(status)

/** Starts the page. The browser loaded it without a key, so the page asks again with the key. */
export const start = (): void => {
  addEventListener('popstate', () => {
    if (hrefOf(here()) !== hrefOf(shown.value.place)) return go(here(), 'none')
    // Only the fragment has changed, or the reader is back before the other page arrived.
    asking.abort()
    busy.value = false
  })
  show(shown.value)
  if (keyInUse() !== null || history.state?.query !== undefined) go(here(), 'none')
}
