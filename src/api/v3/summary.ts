import type { Summarised } from '../../list/summary.ts'
import { events } from './events.ts'

/** What a map and a timeline show of all events that match: how many there are, when, and where. */
export const eventSummary: Summarised = {
  path: `${events.path}summary/`,
  name: 'Event Summary',
  description: 'How many events match, by the time of their start and by the cells of a grid over the world.',
  of: events,
}
