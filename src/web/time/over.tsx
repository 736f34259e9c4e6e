import { render } from 'preact'
import { changed, hrefOf, type PageAddress } from '../state/address.ts'
import type { EventItem } from '../state/event.ts'
import type { SeriesById, SummaryAnswer } from '../state/known.ts'
import { TimePicture, type TimeProps } from './picture.tsx'
import { Spans } from './spans.tsx'

/** Shows the graph of the events at a place in a container. */
export const showTime = (container: HTMLElement, props: TimeProps): void =>
  render(<TimePicture {...props} />, container)

/** Shows the longest events of a page in a container. */
export const showSpans = (container: HTMLElement, events: readonly EventItem[], series: SeriesById): void =>
  render(<Spans events={events} series={series} />, container)

/** Shows the graph of the events at a place. A brushed period opens the list. */
export const showOverTime = (
  place: PageAddress,
  asked: Promise<SummaryAnswer | null>,
  ended: AbortSignal,
): HTMLElement => {
  const container = document.createElement('div')
  const onRange: TimeProps['onRange'] = (range) => {
    if (range === null) return
    const [from, before] = range
    const link = document.createElement('a')
    link.href = hrefOf(changed(place, { timestamp_start__gte: from, timestamp_start__lt: before }))
    container.append(link)
    link.click()
  }
  const show = (summary: SummaryAnswer | null) => showTime(container, { place, summary, isNarrowed: false, onRange })
  show(null)
  asked.then((summary) => ended.aborted || show(summary))
  ended.addEventListener('abort', () => render(null, container), { once: true })
  return container
}
