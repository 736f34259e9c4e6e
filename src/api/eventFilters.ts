import { events as table } from '../../schema/tables.ts'
import { latest } from '../filters/references.ts'
import { inBox, inGeometry, near, radius } from '../filters/spatial.ts'
import { overlap } from '../filters/temporal.ts'
import { words } from '../filters/words.ts'
import { category, model, series } from '../model/dictionaries.ts'
import type { ToldFilter } from '../model/field.ts'

// The filters of events that belong to no field of the model, because they read several columns.

/** Selects events in an area. */
const WITHIN = {
  ...inGeometry,
  told: { title: ['Within an area', 'Binnen een gebied'], group: 'where' },
  about: 'The event',
  example: 'POLYGON ((-80 20, -60 20, -60 35, -80 35, -80 20))',
} as const

/** Selects events near a position. */
const NEAR = {
  near: {
    ...near,
    told: { title: ['Near a place', 'Bij een plek'], group: 'where' },
    about: 'The event',
    example: [5.1, 52.1],
  },
  radius: {
    ...radius,
    told: { title: ['Metres around that place', 'Meters rond die plek'], group: 'where' },
    about: 'The event',
    example: 10_000,
  },
} as const

/** Selects events by the words of all their texts. */
const WORDS = {
  q: {
    ...words({
      dictionaries: [category, series, model],
      texts: [table.value, table.externalId],
      json: table.attributes,
    }),
    told: { title: ['Words', 'Woorden'], group: 'what' },
    about: 'The event',
    example: 'maria "tropical storm" hurr*',
  },
} as const

/** Selects the latest event of each series. */
const LATEST = {
  latest: {
    ...latest({ event_series: series }),
    told: { title: ['Only the latest', 'Alleen de laatste'], group: 'when' },
    about: 'The event',
    example: 'event_series',
  },
} as const

/** Selects events by several columns, under one name in both versions. */
const PLACE_AND_TIME = {
  bbox: {
    ...inBox,
    told: { title: ['In a box', 'In een rechthoek'], group: 'where' },
    about: 'The event',
    example: [-80, 20, -60, 35],
  },
  datetime: {
    ...overlap(table.start, table.end),
    told: { title: ['In a period', 'In een periode'], group: 'when' },
    about: 'The event',
    example: '2018-02-05T00:00:00Z/2018-02-06T00:00:00Z',
  },
} as const

/**
 * Returns the filters of a list of events. `named` are the filters of its fields, and `within` names the filter by a
 * geometry. `all`: the list also has `bbox` and `datetime`. Under /ogc they have their own rules.
 */
export const eventFilters = (
  named: Readonly<Record<string, ToldFilter>>,
  within: string,
  all = false,
): Readonly<Record<string, ToldFilter>> => ({
  ...WORDS,
  ...named,
  [within]: WITHIN,
  ...NEAR,
  ...(all && PLACE_AND_TIME),
  ...LATEST,
})
