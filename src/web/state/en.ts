/** The English texts of the page, by the part that shows them. A function fills in numbers and names. */
export const en = {
  product: 'Event query API',
  units: {
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
  app: {},
  list: {},
  form: {},
  item: {},
  map: {},
  time: {},
}

export type Texts = typeof en
