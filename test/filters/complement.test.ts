import { describe, expect, it } from 'vitest'
import { conditionsAsked, NOT } from '../../src/filters/filter.ts'
import { LOOKUPS } from '../../src/filters/lookups.ts'
import { allEventsV4, events, eventsV4 } from '../../src/lists/event.ts'
import { eventSeriesV3, eventSeriesV4 } from '../../src/lists/series.ts'
import { observationTypesV3 } from '../../src/lists/type.ts'
import { allOf } from '../../src/question/condition.ts'
import { freshDatabase } from '../database.ts'
import { printCondition } from '../question/print.ts'
import { beginWithSeed, get } from '../service.ts'

// What a complement selects stands in test/oracle.

beginWithSeed()

const RESOURCES = [events, allEventsV4, eventsV4, eventSeriesV3, eventSeriesV4, observationTypesV3]
const LOOKUP = new RegExp(`__(${Object.keys(LOOKUPS).join('|')})$`)

describe.each(RESOURCES)('the complements of $path', ({ filters }) => {
  const names = [...filters.keys()].filter((name) => !name.endsWith(NOT))

  it('exist for each filter by one value or by a list', () => {
    const plain = names.filter((name) => {
      const { kind = '', takesEmpty, beside } = filters.get(name) ?? {}
      const isBare = !names.some((other) => name.startsWith(`${other}__`) && LOOKUP.test(name))
      const isOfValues = isBare || name.endsWith('__in') || takesEmpty
      return (
        isOfValues &&
        !['geometry', 'box', 'interval', 'words', 'latest', 'attributes'].includes(kind) &&
        beside === undefined
      )
    })
    expect([...filters.keys()].filter((name) => name.endsWith(NOT))).toEqual(plain.map((name) => `${name}${NOT}`))
  })

  it.each(names.filter((name) => filters.has(`${name}${NOT}`)))('ask the opposite: %s', (name) => {
    const value = String(filters.get(name)?.example)
    const asked = (parameter: string) =>
      printCondition(allOf(conditionsAsked(filters.get(parameter)?.lookup(value, null) ?? [])))
    expect(asked(`${name}${NOT}`)).toBe(`unless (${asked(name)})`)
  })
})

describe('a complement is counted without reading its rows', () => {
  it.each(['timestamp_start__not=2018-02-05', 'duration__not=01:00:00', 'category__not=hurricane'])(
    '%s',
    async (query) => {
      const DB = freshDatabase()
      const { plan, envelope } = await get(`/api/v3/events/?${query}&page_size=3&explain=true`, {
        vars: { DB, SHOW_COST: 'true' },
      })
      const trips: readonly (readonly { readonly rows_read: number }[])[] = plan.trips
      const rows = trips.flat().reduce((sum, { rows_read }) => sum + rows_read, 0)
      expect(rows).toBeLessThan(envelope.count / 5)
    },
  )
})
