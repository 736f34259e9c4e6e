import { Column, is, SQL } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { events as table } from '../../schema/tables.ts'
import { partsOf } from '../../src/engine/d1/conditions.ts'
import { COVERED, indexOf } from '../../src/engine/d1/indexes.ts'
import type { Part } from '../../src/engine/d1/part.ts'
import { orderIn } from '../../src/engine/d1/tables.ts'
import { listFilters, NOT } from '../../src/filters/filter.ts'
import { eventsV4 } from '../../src/lists/event.ts'
import { EVENT } from '../../src/model/event.ts'
import type { ModelField } from '../../src/model/field.ts'

/** The columns of all covering indexes, and the id, which is the key of the table. */
const covered: readonly unknown[] = [...COVERED, table.id]

/** Returns the columns of the events that an expression reads. */
const columnsIn = (expression: unknown): Column[] => {
  if (is(expression, Column)) return [expression]
  return is(expression, SQL) ? expression.queryChunks.flatMap(columnsIn) : []
}

/** Returns the columns of the events that a condition compares. */
const comparedBy = (condition: Part): Column[] => {
  if (condition.kind === 'entry') return columnsIn(condition.dictionary.key)
  if (condition.kind === 'range') return columnsIn(condition.column)
  return condition.kind === 'sql' ? columnsIn(condition.sql) : []
}

const FILTERS = Object.values<ModelField>(EVENT).flatMap(({ filters = [] }) => filters)

it.each(FILTERS.map((filter) => [filter.v3 ?? filter.v4 ?? filter.ogc ?? '', filter] as const))(
  'the columns of the filter %s are in all covering indexes, or the model says why not',
  (name, filter) => {
    const own = listFilters({ [name]: filter })
    const parameters = own.get(name)?.members?.(`${name}__mag`) ?? own
    const given = [...parameters].filter(([parameter]) => !parameter.endsWith(NOT))
    const lookups = given.map(([parameter, { lookup, example }]) => {
      const columns = [lookup(String(example), null)]
        .flat()
        .flatMap((each) => (each.kind === 'latest' ? [] : partsOf('events', each)))
        .flatMap(comparedBy)
      return [parameter, columns.length > 0 && columns.every((column) => covered.includes(column))]
    })
    expect(lookups).toEqual(lookups.map(([parameter]) => [parameter, filter.unindexed === undefined]))
  },
)

it('the orders by time, duration, write and number have an index', () => {
  const indexed = Object.entries(eventsV4.orderings).flatMap(([name, order]) => {
    const { column, near } = orderIn('events', { ...order, from: [0, 0], descending: false })
    return near === undefined && (column === null || indexOf(column) !== null) ? [name] : []
  })
  expect(indexed).toEqual(['id', 'start', 'end', 'value_number', 'duration', 'last_modified'])
})
