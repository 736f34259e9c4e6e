import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { LoadOptions } from '../../seed/load/files.ts'
import { loadFiles, load as loadInto } from '../../seed/load/files.ts'
import type { StoreOptions } from '../../seed/load/insert.ts'
import { serviceTarget } from '../../seed/load/service.ts'
import { type Local, openDatabase } from '../../seed/local/database.ts'
import { type RunningWorker, startWorker } from '../worker.ts'
import { query as rowsOf } from './dump.ts'
import { apiKeysOf, makeFolder, runCommand } from './program.ts'

const at = makeFolder('feed')

interface Quake {
  readonly id: string
  readonly time: string
  readonly mag: number
  readonly place: string
  readonly x: number
  readonly y: number
}

const quake = (id: string, hour: number, mag: number, place: string, x = -150 + hour, y = 60): Quake => ({
  ...{ id, time: `2018-02-06T${String(hour).padStart(2, '0')}:30:00.123Z`, mag, place, x, y },
})
/** The feeds of two days. On the second day, one event is revised, one is moved, one is new and one is missing. */
const FIRST = [
  quake('ak1', 1, 1.5, '5km N of "Willow", Alaska'),
  quake('ak2', 2, 2.5, 'Kobuk'),
  quake('nc72959', 3, 0.9, 'The Geysers', -122.8, 38.8),
  quake('us2000', 4, 5.1, 'Tonga', -174, -20),
]
const NEXT = [
  quake('ak2', 2, 2.7, 'Kobuk, Alaska'),
  quake('nc72959', 3, 0.9, 'The Geysers', -122.7, 38.9),
  quake('us2000', 4, 5.1, 'Tonga', -174, -20),
  quake('us2001', 5, 4.4, 'Fiji', 178, -18),
]

/** Writes a feed in the CSV format of USGS. */
const csv = (quakes: readonly Quake[]): string =>
  [
    'time,latitude,longitude,depth,mag,magType,net,id,updated,place,type',
    ...quakes.map(
      ({ id, time, mag, place, x, y }) =>
        `${time},${y},${x},10,${mag},ml,${id.slice(0, 2)},${id},2018-02-07T00:00:00Z,"${place.replaceAll('"', '""')}",earthquake`,
    ),
  ].join('\n')
const geojson = (quakes: readonly Quake[]): string =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: quakes.map(({ id, time, mag, place, x, y }) => ({
      ...{ type: 'Feature', id, geometry: { type: 'Point', coordinates: [x, y, 10] } },
      properties: { mag, place, time: Date.parse(time), type: 'earthquake', ids: `,${id},` },
    })),
  })
writeFileSync(at('first.csv'), csv(FIRST))
writeFileSync(at('next.csv'), csv(NEXT))
writeFileSync(at('first.geojson'), geojson(FIRST))
writeFileSync(at('next.geojson'), geojson(NEXT))

const OPTIONS: LoadOptions = { series: 'Earthquakes', key: 'id', names: { value: 'place', category: 'type' } }

const shown = ({ id, time, place, x, y }: Quake) => ({ name: id, start: Date.parse(time), value: place, x, y })
const EXPECTED = [FIRST[0], NEXT[0], NEXT[1], NEXT[2], NEXT[3]].flatMap((each) => (each ? [shown(each)] : []))
const EVENTS = 'SELECT external_id AS name, start, value, x, y FROM event ORDER BY external_id'

const query = (state: string, sql: string) => rowsOf(at(state), sql)

const opened = new Map<string, Promise<Local>>()
afterAll(async () => {
  for (const local of opened.values()) await (await local).close()
})

const load = async (state: string, files: readonly string[], options: LoadOptions & StoreOptions = OPTIONS) => {
  const local = opened.get(state) ?? openDatabase(at(state))
  opened.set(state, local)
  const { totals, changed, stored, faults } = await loadFiles((await local).db, files.map(at), options)
  return [totals.event, changed, stored.event, faults.length]
}

describe.each(['csv', 'geojson'])('a feed in %s gives each event once', (format) => {
  it('if the files of two days are loaded twice', async () => {
    const [first, next] = [`first.${format}`, `next.${format}`]
    expect(await load(format, [first])).toEqual([4, 0, 0, 0])
    expect(await load(format, [first])).toEqual([0, 0, 4, 0])
    const before = query(format, 'SELECT external_id AS name, id, last_modified AS at FROM event')
    expect(await load(format, [next], { ...OPTIONS, dryRun: true })).toEqual([1, 2, 1, 0])
    expect(await load(format, [next])).toEqual([1, 2, 1, 0])
    expect(await load(format, [next])).toEqual([0, 0, 4, 0])
    expect(query(format, EVENTS).sort((a, b) => String(a.name).localeCompare(String(b.name)))).toEqual(EXPECTED)
    const after = new Map(
      query(format, 'SELECT external_id AS name, id, last_modified AS at FROM event').map((row) => [row.name, row]),
    )
    for (const { name, id, at } of before) {
      expect([name, after.get(name)?.id]).toEqual([name, id])
      const isChanged = ['ak2', 'nc72959'].includes(String(name))
      expect([name, Number(after.get(name)?.at) > Number(at)]).toEqual([name, isChanged])
    }
    expect(query(format, 'SELECT event_count AS n, west, east FROM event_series')).toEqual([
      { n: 5, west: -174, east: 178 },
    ])
    expect(query(format, "SELECT public AS n FROM event_count WHERE tree = 'id' AND shift = 53")).toEqual([{ n: 5 }])
  })

  it('if the files of both days are loaded together; the later row wins', async () => {
    const state = `both-${format}`
    expect(await load(state, [`first.${format}`, `next.${format}`])).toEqual([5, 0, 0, 0])
    expect(query(state, EVENTS)).toEqual(EXPECTED)
    expect(await load(state, [`next.${format}`, `first.${format}`])).toEqual([0, 2, 3, 0])
  })
})

it('2,500 events are loaded in several batches', { timeout: 60_000 }, async () => {
  const many = (mag: number) =>
    Array.from({ length: 2500 }, (_, i) => quake(`m${i}`, i % 24, mag, `${i % 3 === 0 ? mag : 'same'}`))
  writeFileSync(at('many.csv'), csv(many(1)))
  writeFileSync(at('more.csv'), csv(many(2)))
  expect(await load('many', ['many.csv'], { ...OPTIONS, batchRecords: 700 })).toEqual([2500, 0, 0, 0])
  expect(await load('many', ['more.csv'], { ...OPTIONS, batchRecords: 700 })).toEqual([0, 834, 1666, 0])
  expect(query('many', "SELECT count(*) AS n FROM event WHERE value = '2'")).toEqual([{ n: 834 }])
})

it.each<[string, string, LoadOptions, RegExp]>([
  [
    'an empty key column',
    'time,latitude,longitude,id\n2018-02-06T00:00:00Z,1,2,\n',
    OPTIONS,
    /line 2: the column of --key-column is empty: enter the id of the event at its source/,
  ],
  ['a missing column', 'time,latitude,longitude\n2018-02-06T00:00:00Z,1,2\n', OPTIONS, /no column "id"/],
  ['records with ids', '{"kind":"event"}\n', { key: 'id' }, /has the ids of its events: remove --key-column/],
])('%s is refused', async (_, text, options, message) => {
  writeFileSync(at('faulty'), text)
  await expect(load('faulty-state', ['faulty'], { ...options, names: {} })).rejects.toThrow(message)
})

describe('a feed that is posted to the service', () => {
  const KEY = 'writes'
  let service: RunningWorker

  beforeAll(async () => {
    const { db, close } = await openDatabase(at('service'))
    await loadFiles(db, [at('first.csv')], { ...OPTIONS, series: 'Another' })
    await close()
    const API_KEYS = apiKeysOf({ [KEY]: { read: 'Hidden', write: true, name: 'load' } })
    service = await startWorker(inject('worker'), at('service'), { API_KEYS }, true)
  }, 60_000)
  afterAll(() => service?.close())

  it('gives the same events', { timeout: 60_000 }, async () => {
    const api = { address: service.address, key: KEY }
    const post = async (...files: string[]) => {
      const { totals, changed, stored } = await loadInto(await serviceTarget(api), files.map(at), {
        ...OPTIONS,
        observationType: '1',
      })
      return [totals.event, changed, stored.event]
    }
    expect(await post('first.csv')).toEqual([4, 0, 0])
    expect(await post('next.csv')).toEqual([1, 2, 1])
    expect(await post('next.csv')).toEqual([0, 0, 4])
    expect(await post('next.csv', 'first.csv')).toEqual([0, 2, 3])
    const listed = await fetch(`${service.address}/api/v3/events/?event_series__name=Earthquakes`)
    expect(((await listed.json()) as { count: number }).count).toBe(5)
  })
})

it('the option --key names the column, and the output has the numbers of events', { timeout: 60_000 }, async () => {
  const args = ['--series', 'Earthquakes', '--key', 'id', '--value', 'place', '--persist-to', at('command')]
  const run = async (file: string) => {
    const { stdout } = await runCommand('load', [at(file), ...args])
    return /^Loaded .*$/m.exec(stdout)?.[0].replace(/[\d.]+ s/, 'n s')
  }
  expect(await run('first.csv')).toBe('Loaded 4 events and 1 event series in n s.')
  expect(await run('next.csv')).toBe(
    'Loaded 1 event and 0 event series in n s. 2 events were changed. 1 event and 0 event series were stored already.',
  )
})
