import { Column, is, SQL } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { access } from '../../src/api/access.ts'
import { events, eventsV4 } from '../../src/api/events.ts'
import { type Condition, filterSet } from '../../src/filters/filter.ts'
import { EVENT } from '../../src/model/event.ts'
import { allFiltersOf } from '../../src/model/members.ts'

const encoder = new TextEncoder()
/** The columns of all covering indexes, and the id, which is the key of the table. */
const covered: readonly unknown[] = [...access.filtered, events.id]

/** Returns the columns of the events that an expression reads. */
const columnsIn = (expression: unknown): Column[] => {
  if (is(expression, Column)) return [expression]
  return is(expression, SQL) ? expression.queryChunks.flatMap(columnsIn) : []
}

/** Returns the columns of the events that a condition compares. */
const comparedBy = (condition: Condition): Column[] => {
  if (condition.kind === 'entries') return columnsIn(condition.dictionary.key)
  if (condition.kind === 'span' || condition.kind === 'listed') return columnsIn(condition.column)
  return condition.kind === 'sql' ? columnsIn(condition.sql) : []
}

it.each(allFiltersOf(EVENT).map((filter) => [filter.v3 ?? filter.v4 ?? filter.ogc ?? '', filter] as const))(
  'the columns of the filter %s are in all covering indexes, or the model says why not',
  (name, filter) => {
    const lookups = Array.from(filterSet({ [name]: filter }), ([parameter, { lookup, example }]) => {
      const columns = [lookup(encoder.encode(String(example)))].flat().flatMap(comparedBy)
      return [parameter, columns.length > 0 && columns.every((column) => covered.includes(column))]
    })
    expect(lookups).toEqual(lookups.map(([parameter]) => [parameter, filter.unindexed === undefined]))
  },
)

it.each(Object.entries({ ...events.orderings, ...eventsV4.orderings }))('the order by %s has an index', (_, column) => {
  expect([events.id, ...access.indexes.map(({ on }) => on)]).toContain(column)
})
