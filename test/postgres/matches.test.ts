import { describe, expect, it } from 'vitest'
import { freshPostgres, hasPostgres } from './database.ts'
import { told } from './faulty.ts'
import { GRADE_B, GRADE_C } from './grades.ts'
import { rowsOf, TABLES } from './rows.ts'

/** More series than the service names to PostgreSQL. Each of the last 18 events has one of them. */
const MANY = `
  INSERT INTO event_series
    (id, uuid, name, description, observation_type_id, statistic, color, access_modifier, created)
  SELECT i, gen_random_uuid(), 'Other ' || i, '', 1, 'event', '#000000', 0, '2020-01-01Z' FROM generate_series(3, 1200) AS i;
  UPDATE event SET event_series_id = id WHERE id > 2;
  UPDATE event_series SET access_modifier = 300 WHERE id = 20`

describe.runIf(hasPostgres)('conditions on the series of events', () => {
  it.each([
    ['one', 'event_series__name=Other 7', [7]],
    ['one by the start of its uuid', 'event_series=00000000-0000-0000-0000-000000000001', [2]],
    ['several', 'event_series__name__icontains=OTHER 1&id__gte=10', [19, 18, 17, 16, 15, 14, 13, 12, 11, 10]],
    ['many', 'event_series__name__icontains=e&id__gte=18', [19, 18]],
    ['a hidden one', 'event_series__name=Other 20', []],
    ['none', 'event_series__name=Other', []],
    ['all but one', 'event_series__name__not=Other 19&id__gte=17', [18, 17]],
  ])('find %s before the events', async (_, query, expected) => {
    for (const grade of [[], [GRADE_B], [GRADE_B, GRADE_C]]) {
      const database = await freshPostgres(TABLES, rowsOf(20), MANY, ...grade)
      const { status, body } = await told(database, `/api/v3/events/?ordering=-timestamp_start&${query}`)
      const ids = body.results.map(({ id }: { id: number }) => id)
      expect([status, body.count, ids], grade.join()).toEqual([200, expected.length, expected])
      const summary = await told(database, `/api/v3/events/summary/?bins=year&level=0&by=event_series&${query}`)
      expect(summary.body.count, grade.join()).toBe(expected.length)
    }
  })
})
