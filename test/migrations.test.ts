import { applyD1Migrations, reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, expect, it } from 'vitest'
import { caseFold } from '../src/filters/caseFold.ts'
import { cellOf } from '../src/geometry/cell.ts'
import { EVENTS, foundation, isVisible, LEVELS, type Level, makeEvents, seenBy } from './query/world.ts'
import { get } from './service.ts'
import { expectKept } from './store/writer.ts'

/** The last migration before the trees of counts. */
const BEFORE = '0003'

const events = makeEvents(6000, 21)
const texts = (of: readonly string[]) => [...new Set(of)]
const categories = texts(events.map(({ category }) => category))
const models = texts(events.flatMap(({ object }) => (object === null ? [] : [object.model])))

/** Texts with every character that has a case. Some of these fold to several letters. */
const AWKWARD = [
  'STRAẞE İı',
  ...Array.from({ length: 124 }, (_, i) =>
    Array.from({ length: 1000 }, (_, j) => String.fromCodePoint(i * 1000 + j))
      .filter((character) => character.isWellFormed() && /[\p{Cased}\p{M}]/u.test(character))
      .join(''),
  ).filter((text) => text !== ''),
]

const insert = (table: string, columns: string, rows: readonly (readonly (string | number | null)[])[]) => {
  const values = columns.split(',').map((_, i) => `value ->> ${i}`)
  return env.DB.prepare(`INSERT INTO ${table} (${columns}) SELECT ${values} FROM json_each(?)`).bind(
    JSON.stringify(rows),
  )
}

/** Counts the entries of a dictionary, as the old version did. */
const countEntries = (table: string, key: string) => {
  const columns = Object.entries(LEVELS).map(
    ([name, level]) => `${name} = (SELECT count(*) FROM event JOIN event_series ON event_series.id = event_series_id
      WHERE event.${key} = ${table}.id AND access_modifier = ${level})`,
  )
  return env.DB.prepare(`UPDATE ${table} SET ${columns}`)
}

/** Makes a database of the old version, with its data. */
beforeAll(async () => {
  await reset()
  const old = env.TEST_MIGRATIONS.filter(({ name }) => name.slice(0, 4) <= BEFORE)
  expect(old).toHaveLength(4)
  await applyD1Migrations(env.DB, old)
  const series = foundation.flatMap((record) => (record.kind === 'event_series' ? [record] : []))
  await env.DB.batch([
    insert('observation_type', 'id,code,name', [[1, 'test', 'Test']]),
    insert(
      'event_series',
      'id,uuid,name,name_folded,description,observation_type_id,statistic,color,access_modifier,created',
      series.map(({ id, uuid, name, access_modifier }) => [
        id,
        uuid,
        name,
        name,
        '',
        1,
        'raw',
        '#336699',
        access_modifier,
        0,
      ]),
    ),
    insert(
      'category',
      'id,text,folded',
      [...categories, ...AWKWARD].map((text, i) => [i + 1, text, text]),
    ),
    insert(
      'object_model',
      'id,text,folded',
      models.map((text, i) => [i + 1, text, text]),
    ),
    insert(
      'event',
      'id,event_series_id,category_id,value,start,"end",x,y,z,cell,object_model_id,object_id',
      events.map(({ id, series, category, start, end, coordinates, object }) => {
        const [x = null, y = null, z = null] = coordinates ?? []
        const cell = x === null || y === null ? null : cellOf(x, y)
        const model = object === null ? null : models.indexOf(object.model) + 1
        return [id, series, categories.indexOf(category) + 1, '', start, end, x, y, z, cell, model, object?.id ?? null]
      }),
    ),
    env.DB.prepare(`UPDATE event_series SET (event_count, start, "end", west, east, south, north) =
      (SELECT count(*), min(start), max("end"), min(x), max(x), min(y), max(y) FROM event WHERE event_series_id = event_series.id)`),
    countEntries('category', 'category_id'),
    countEntries('object_model', 'object_model_id'),
    env.DB.prepare("INSERT INTO event_tally (tree, shift, node, public) VALUES ('id', 53, 0, 1)"),
  ])
  await applyD1Migrations(env.DB, env.TEST_MIGRATIONS)
})

it('stored texts of the previous schema are case-folded', async () => {
  const { results } = await env.DB.prepare('SELECT text, case_folded AS folded FROM category').all<{ text: string }>()
  expect(results).toEqual([...categories, ...AWKWARD].map((text) => ({ text, folded: caseFold(text) })))
  const series = await env.DB.prepare('SELECT name, name_case_folded AS folded FROM event_series').all<{
    name: string
  }>()
  expect(series.results).toEqual(series.results.map(({ name }) => ({ name, folded: caseFold(name) })))
})

it('a database of the previous schema counts correctly', async () => {
  await expectKept()
  const from = Date.UTC(1969, 8, 1)
  for (const level of Object.keys(LEVELS) as Level[]) {
    const seen = events.filter((event) => isVisible(event, level))
    const counts = [
      ['', seen.length],
      ['category=flood', seen.filter(({ category }) => category === 'flood').length],
      ['event_series__id=1', seen.filter(({ series }) => series === 1).length],
      ['timestamp_start__gte=1969-09-01', seen.filter(({ start }) => start >= from).length],
      ['timestamp_end__lt=1969-09-01', seen.filter(({ end }) => end < from).length],
      [
        'bbox=0,0,180,90',
        seen.filter(({ coordinates }) => (coordinates?.[0] ?? -1) >= 0 && (coordinates?.[1] ?? -1) >= 0).length,
      ],
    ] as const
    for (const [query, count] of counts)
      expect((await get(`${EVENTS}?${query}`, seenBy(level))).count, `${query} ${level}`).toBe(count)
  }
})
