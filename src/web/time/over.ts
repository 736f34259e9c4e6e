import { h } from '../app/dom.ts'
import { changed, hrefOf, type PageAddress } from '../state/address.ts'
import type { SummaryAnswer } from '../state/known.ts'

/** Shows the graph of the events at a place. A brushed period opens the list. */
export const showOverTime = (
  place: PageAddress,
  summary: Promise<SummaryAnswer | null>,
  ended: AbortSignal,
): HTMLElement => {
  const section = h('section', { class: 'panel timeline', 'aria-label': 'Over time', hidden: true })
  const lead = (range: readonly [string, string] | null) => {
    if (range === null) return
    const [from, before] = range
    const link = h('a', { href: hrefOf(changed(place, { timestamp_start__gte: from, timestamp_start__lt: before })) })
    section.append(link)
    link.click()
    link.remove()
  }
  Promise.all([import('./timeline.ts'), summary])
    .then(([{ makeTimeline }, found]) => ended.aborted || makeTimeline(section, lead, ended).update(found, false))
    .catch(() => section.remove())
  return section
}
