import type { Texts } from './en.ts'

/** The Dutch texts of the page. */
export const nl: Texts = {
  product: 'Event query API',
  units: {
    day: 'd',
    hour: 'u',
    minute: 'min',
    second: 's',
    millisecond: 'ms',
    until: 'tot',
    north: 'N',
    south: 'Z',
    east: 'O',
    west: 'W',
    utc: 'UTC',
    local: 'lokale tijd',
  },
  app: {},
  list: {},
  form: {},
  item: {},
  map: {},
  time: {},
}
