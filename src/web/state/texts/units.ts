import type { Pairs } from './pairs.ts'

/** The names of units and zones. */
export const unitTexts = {
  source: { en: 'Source', nl: 'Bron' },
  day: { en: 'd', nl: 'd' },
  hour: { en: 'h', nl: 'u' },
  minute: { en: 'min', nl: 'min' },
  second: { en: 's', nl: 's' },
  millisecond: { en: 'ms', nl: 'ms' },
  /** Between the two ends of a range. */
  until: { en: 'to', nl: 'tot' },
  north: { en: 'N', nl: 'N' },
  south: { en: 'S', nl: 'Z' },
  east: { en: 'E', nl: 'O' },
  west: { en: 'W', nl: 'W' },
  utc: { en: 'UTC', nl: 'UTC' },
  local: { en: 'local time', nl: 'lokale tijd' },
} satisfies Pairs
