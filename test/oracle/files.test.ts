import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { rememberedOf } from '../../src/engine/d1/estimates.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { metadataWith } from '../../src/model/metadata.ts'
import type { Level } from '../engine/world.ts'
import { countingDatabase } from '../isolates.ts'
import { ORIGIN, send } from '../service.ts'
import { databasesWith, fetchFrom } from './oracle.ts'
import { event, series } from './world.ts'

// A file has the columns of a series if the request names one series that the caller sees.

const uuidOf = (start: string) => `${start.padEnd(8, '0')}-0000-4000-8000-000000000000`

const one = (id: number, name: string, level: number, start: string) =>
  series(id, name, level, {
    uuid: uuidOf(start),
    metadata: metadataWith({
      fields: [{ name: `attributes__a${id}`, title: `Title ${id}`, type: 'integer', unit: 'm³' }],
    }),
  })

const NAMED = [
  one(1, 'Overstorten', 0, 'b1'),
  one(2, 'Dubbel', 0, 'b2'),
  one(3, 'Dubbel', 0, 'b3'),
  one(4, 'Geheim', 300, 'c1'),
  one(5, 'Open', 0, 'c2'),
  one(6, 'Open', 300, 'd1'),
]
const RECORDS = [
  { kind: 'observation_type', id: 1, code: 'test', name: 'Test', unit: null } as const,
  ...NAMED,
  ...NAMED.map(({ id }) => event(id, '2025-01-01T00:00:00Z', { series: id, attributes: { [`a${id}`]: id } })),
]

const engines = new Map<string, Engine>()
beforeAll(async () => {
  for (const [name, engine] of await databasesWith(RECORDS)) engines.set(name, engine)
})

const LIST = '/api/v3/events/?'

/** Each row has a request, the level of the caller, and the number of the only series. Null: there is none. */
const ROWS: readonly (readonly [asks: string, level: Level, series: number | null])[] = [
  [`${LIST}event_series=${uuidOf('b1')}`, 'Public', 1],
  [`${LIST}event_series=b1`, 'Public', 1],
  [`/api/v4/events/?event_series=B1`, 'Public', 1],
  ['/api/v4/eventseries/b1/events/?', 'Public', 1],
  [`${LIST}event_series=b`, 'Public', null],
  [`${LIST}event_series=b1,c1`, 'Public', 1],
  [`${LIST}event_series=b1,c1`, 'Hidden', null],
  [`${LIST}event_series=c`, 'Public', 5],
  [`${LIST}event_series=c`, 'Hidden', null],
  [`${LIST}event_series=c1`, 'Public', null],
  [`${LIST}event_series=c1`, 'Hidden', 4],
  [`${LIST}event_series=e`, 'Public', null],
  [`${LIST}event_series__id=1`, 'Public', 1],
  [`${LIST}event_series__name=OVERSTORTEN`, 'Public', 1],
  [`${LIST}event_series__name__exact=Overstorten`, 'Public', 1],
  [`${LIST}event_series__name__exact=OVERSTORTEN`, 'Public', null],
  [`${LIST}event_series__name__icontains=STORT`, 'Public', 1],
  [`${LIST}event_series__name__endswith=ten&category=flood`, 'Public', 1],
  [`${LIST}event_series__name__in=Overstorten,Geheim`, 'Public', 1],
  [`${LIST}event_series__name__in=Overstorten,Geheim`, 'Hidden', null],
  [`${LIST}event_series__name=dubbel`, 'Public', null],
  [`${LIST}event_series__name=dubbel&event_series=b2`, 'Public', 2],
  [`${LIST}event_series__name=dubbel&event_series=b1`, 'Public', null],
  [`${LIST}event_series__name=open`, 'Public', 5],
  [`${LIST}event_series__name=open`, 'Hidden', null],
  [`${LIST}event_series__name=geheim`, 'Public', null],
  [`${LIST}event_series__name=geheim`, 'Hidden', 4],
  [`${LIST}event_series__name__not=dubbel`, 'Public', null],
  [`${LIST}event_series__name__regex=^Over`, 'Public', null],
  [`${LIST}category=flood`, 'Public', null],
]

describe.each(ROWS)('%s: a caller of level %s', (asks, level, id) => {
  it.each(['csv', 'spreadsheet', 'geojson'])(`gets the columns of ${id ?? 'no series'} in %s`, async (format) => {
    for (const [name, engine] of engines) {
      const response = await fetchFrom(engine, `${ORIGIN}${asks}&format=${format}`, level)
      const text = await response.text()
      const named = [...new Set(text.match(format === 'spreadsheet' ? /Title \d/g : /attributes__a\d/g) ?? [])]
      const title = format === 'spreadsheet' ? 'Title ' : 'attributes__a'
      expect(named, name).toEqual(id === null ? [] : [`${title}${id}`])
      const file = response.headers.get('Content-Disposition')
      const known = NAMED.find((each) => each.id === id)?.name
      expect(file, name).toContain(known === undefined ? 'filename="events' : `filename="events_${known}`)
      if (known === undefined && !asks.includes('__')) expect(file).not.toMatch(/Geheim|Open/)
    }
  })
})

it('the file of a hidden series equals one without events', async () => {
  for (const [name, engine] of engines) {
    const answers = ['c1', 'e1'].map((uuid) => fetchFrom(engine, `${ORIGIN}${LIST}event_series=${uuid}&format=csv`))
    const [hidden, none] = await Promise.all(answers.map(async (answer) => (await answer).text()))
    expect(hidden, name).toBe(none)
  }
})

it.each([
  ['category=flood', 1],
  ['event_series__observation_type=test', 1],
  [`event_series=${uuidOf('b1')}`, 2],
  ['event_series=b1', 2],
  ['event_series__name=Overstorten', 2],
  ['event_series__name__icontains=overstort', 2],
])('a file of %s takes %i round trips', async (query, trips) => {
  const { cost, DB } = countingDatabase()
  for (const each of [DB, env.DB]) rememberedOf(each).clear()
  const response = await send(`${LIST}${query}&format=csv`, { vars: { DB }, headers: { 'Cache-Control': 'no-cache' } })
  await response.text()
  expect(cost.trips).toBe(trips)
})
