import { appEn } from './texts/appEn.ts'
import { formEn } from './texts/formEn.ts'
import { itemEn } from './texts/itemEn.ts'
import { listEn } from './texts/listEn.ts'
import { mapEn } from './texts/mapEn.ts'

/** The English texts of the page, by the part that shows them. A function fills in numbers and names. */
export const en = {
  product: 'Event Query Interface',
  units: {
    source: 'Source',
    day: 'd',
    hour: 'h',
    minute: 'min',
    second: 's',
    millisecond: 'ms',
    /** Between the two ends of a range. */
    until: 'to',
    north: 'N',
    south: 'S',
    east: 'E',
    west: 'W',
    utc: 'UTC',
    local: 'local time',
  },
  app: appEn,
  list: listEn,
  form: formEn,
  item: itemEn,
  map: mapEn,
  time: {
    title: 'Over time',
    hint: 'Drag over the bars to choose a period, or use the arrow keys, Shift and Enter',
    all: 'All times',
    stackBy: 'Stack by',
    nothing: 'not stacked',
    event_series: 'by series',
    category: 'by category',
    scale: 'Scale',
    linear: 'linear scale',
    root: 'square-root scale',
    /** The caption of the axis. */
    per: (period: string) => `Events per ${period}`,
    none: 'No event in this period',
    unnamed: 'No category',
    others: 'Others',
    image: 'Save as PNG',
    headline: (events: string) => `${events} over time`,
    spans: 'From start to end',
    lasting: 'Events of this page with a length',
    longest: (most: string, shorter: string) =>
      `The ${most} longest events of this page, without ${shorter} shorter ones`,
    unnamedEvent: 'Event',
  },
}

export type Texts = typeof en
