import type { Filter, FilterField } from '../filters/filter.ts'
import { latest } from '../filters/references.ts'
import { inBox, inFeature, near, radius } from '../filters/spatial.ts'
import { overlap } from '../filters/temporal.ts'
import { words } from '../filters/words.ts'
import type { Told, ToldFilter } from '../model/field.ts'

/** Declares a filter that belongs to no field of the model, because it reads several columns. */
const ofEvent = (
  filter: Filter,
  title: Told['title'],
  group: Told['group'],
  example: FilterField['example'],
): ToldFilter => ({ ...filter, told: { title, group }, about: 'The event', example })

/** Selects events by the words of all their texts. */
const WORDS = words('value, category, series name, object model, external id or attributes')

const AREA = 'POLYGON ((-80 20, -60 20, -60 35, -80 35, -80 20))'

/** The filters with one name in both versions. Under /ogc they have their own rules. */
const PLACE_AND_TIME = {
  bbox: ofEvent(inBox, ['In a box', 'In een rechthoek'], 'where', [-80, 20, -60, 35]),
  datetime: ofEvent(overlap, ['In a period', 'In een periode'], 'when', '2018-02-05T00:00:00Z/2018-02-06T00:00:00Z'),
}

/**
 * Returns the filters of a list of events. `named` are the filters of its fields, and `within` names the filter by a
 * geometry. `all`: the list also has PLACE_AND_TIME.
 */
export const eventFilters = (
  named: Readonly<Record<string, ToldFilter>>,
  within: string,
  all = false,
): Readonly<Record<string, ToldFilter>> => ({
  q: ofEvent(WORDS, ['Words', 'Woorden'], 'what', 'maria "tropical storm" hurr*'),
  ...named,
  [within]: ofEvent(inFeature, ['Within an area', 'Binnen een gebied'], 'where', AREA),
  near: ofEvent(near, ['Near a place', 'Bij een plek'], 'where', [5.1, 52.1]),
  radius: ofEvent(radius, ['Metres around that place', 'Meters rond die plek'], 'where', 10_000),
  ...(all && PLACE_AND_TIME),
  latest: ofEvent(latest, ['Only the latest', 'Alleen de laatste'], 'when', 'event_series'),
})
