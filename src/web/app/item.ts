import type { PageAddress } from '../state/address.ts'
import { isEvent } from '../state/event.ts'
import { isSeries } from '../state/rows.ts'
import { showDocument } from './document.ts'
import { h } from './dom.ts'
import { showEvent } from './event.ts'
import { isAddress } from './facts.ts'
import { showSeries } from './series.ts'

/** Shows the page of an item, or of an address above the lists. */
export const showItem = (body: object, place: PageAddress, prefix: string, signal: AbortSignal): HTMLElement => {
  if (isEvent(body)) return showEvent(body, place, prefix, signal)
  if (isSeries(body)) return showSeries(body, prefix, signal)
  const entries = Object.entries(body)
  const isRoot = entries.length > 0 && entries.every(([, value]) => isAddress(value))
  return isRoot ? showRoot(entries) : showDocument(body)
}

/** Shows links to the lists below an address. */
const showRoot = (entries: readonly [string, string][]): HTMLElement =>
  h(
    'ul',
    { class: 'roots' },
    entries.map(([name, address]) => {
      const { pathname } = new URL(address)
      return h('li', {}, h('a', { href: address }, h('b', {}, TITLES[name] ?? name), h('code', {}, pathname)))
    }),
  )

const TITLES: Readonly<Record<string, string>> = {
  v3: 'Version 3',
  v4: 'Version 4',
  events: 'Events',
  eventseries: 'Event series',
  observationtypes: 'Observation types',
}
