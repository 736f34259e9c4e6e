import { expect, it } from 'vitest'
import { conditionOf } from '../../src/cql2/condition.ts'
import { readJson } from '../../src/cql2/json.ts'
import { readText } from '../../src/cql2/text.ts'
import type { FilterSet } from '../../src/filters/filter.ts'
import { conditionsAsked } from '../../src/filters/filterSet.ts'
import { parameterIn } from '../../src/http/parameters.ts'
import { allEventsV4, events } from '../../src/lists/event.ts'
import { eventCollection } from '../../src/ogc/collection.ts'
import { allOf } from '../../src/question/condition.ts'
import { printCondition } from './print.ts'

// Parameters and CQL2 that ask the same give the same question.

/** Returns what a parameter of a list asks, as text. */
const byParameter = (filters: FilterSet, parameter: string): string => {
  const [, name = '', value = ''] = /^(.*?)=(.*)$/.exec(parameter) ?? []
  return printCondition(allOf(conditionsAsked(parameterIn(filters, name)?.lookup(value, null) ?? [])))
}

const byFilter = (filter: string): string => {
  const expression = filter.startsWith('{') ? readJson(filter) : readText(filter)
  return printCondition(
    conditionOf(expression, { properties: eventCollection.properties, clock: null, places: new Map() }),
  )
}

const json = (op: string, property: string, value: unknown) => JSON.stringify({ op, args: [{ property }, value] })

it.each<[printed: string, parameters: readonly string[], filters: readonly string[]]>([
  [
    "category is 'flood'",
    ['category=flood', 'category__in=flood'],
    ["category = 'flood'", "'flood' = category", "category LIKE 'flood'", json('=', 'category', 'flood')],
  ],
  [
    "category is 'flood' or 'storm'",
    ['category__in=flood,storm'],
    ["category IN ('flood', 'storm')", json('in', 'category', ['flood', 'storm'])],
  ],
  [
    "category starts 'tropical'",
    ['category__startswith=tropical'],
    ["category LIKE 'tropical%'", json('like', 'category', 'tropical%')],
  ],
  ["value ends 'm'", ['value__endswith=m'], ["value LIKE '%m'"]],
  ["value has '50%'", ['value__contains=50%'], ["value LIKE '%50\\%%'"]],
  ['id is 3 or is 5', ['id__in=5,3,5'], ['id IN (5, 3)', json('in', 'id', [3, 5])]],
  [
    'start from 2018-02-05T00:00:00Z',
    ['timestamp_start__gte=2018-02-05'],
    ["timestamp_start >= DATE('2018-02-05')", json('>=', 'timestamp_start', { timestamp: '2018-02-05T00:00:00Z' })],
  ],
  ['object_id from 8', [], ['object_id > 7', '7 < object_id', json('>', 'object_id', 7)]],
  ["object_type is 'pump'", ['object_type__model=pump'], ["object_type = 'pump'"]],
  ["series_uuid is '99fe5d03-893d-5b20-8244-b9189db33e37'", [], ["event_series = '99FE5D03893D5B208244B9189DB33E37'"]],
  [
    'point in or on the box 3 50 8 54',
    ['bbox=3,50,8,54'],
    ['S_INTERSECTS(geom, BBOX(3, 50, 8, 54))', json('s_intersects', 'geom', { bbox: [3, 50, 8, 54] })],
  ],
  [
    'point within {"type":"Polygon","coordinates":[[[3,50],[8,50],[8,54],[3,50]]]}',
    ['geom_within=POLYGON((3 50,8 50,8 54,3 50))'],
    ['S_WITHIN(geom, POLYGON((3 50,8 50,8 54,3 50)))'],
  ],
])('%s', (printed, parameters, filters) => {
  const sets = [events.filters, allEventsV4.filters, eventCollection.resource.filters]
  const known = parameters.flatMap((parameter) => {
    const name = parameter.slice(0, parameter.indexOf('='))
    return sets.filter((set) => parameterIn(set, name)?.kind !== undefined).map((set) => byParameter(set, parameter))
  })
  expect(known.length).toBeGreaterThanOrEqual(parameters.length)
  expect([...known, ...filters.map(byFilter)]).toEqual([...known, ...filters].map(() => printed))
})
