import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { VectorTile } from '@mapbox/vector-tile'
import { parse } from 'csv-parse/browser/esm/sync'
import { getTableColumns } from 'drizzle-orm'
import { PbfReader } from 'pbf'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventSeries, events, observationTypes } from '../../schema/tables.ts'
import { databaseSource } from '../../seed/load/export.ts'
import { insertRecords } from '../../seed/load/insert.ts'
import { accessName } from '../../src/base/access.ts'
import { isoInstant, MICROSECONDS, MILLISECONDS } from '../../src/filters/temporal.ts'
import type { Surface } from '../../src/model/field.ts'
import { membersOf, storedIn } from '../../src/model/members.ts'
import { KIND_FIELDS, type LoadRecord, parseRecord } from '../../src/store/records.ts'
import { get, ORIGIN, send } from '../service.ts'
import { rows, write } from '../store/writer.ts'

type Kind = LoadRecord['kind']
type Shown = Readonly<Record<string, unknown>>

const UUID = '99fe5d03-893d-5b20-8244-b9189db33e37'

/**
 * A value of each field, in the form of a file. No value is the default of its field. A field without a value here gets
 * the example of its first filter.
 */
const EXAMPLES: Record<Kind, Shown> = {
  observation_type: { code: 'wind_speed', name: 'Wind speed', unit: 'kn' },
  event_series: {
    ...{ description: 'Seen from ships.', observation_type: 1, statistic: 'mean', color: '#a1b2c3' },
    access_modifier: 'Common',
    metadata: { source: 'Ships', fields: [{ name: 'value', title: 'Wind', type: 'number', unit: 'kn' }] },
  },
  event: {
    ...{ series: 5, start: 1517875200123, end: 1517961600456, coordinates: [5.5, 52.25, 3] },
    object: { model: 'storm', id: 371 },
    attributes: { mag: 4.5, place: { name: 'Skagway' } },
  },
}

const whole = (kind: Kind): Shown => ({
  kind,
  ...Object.fromEntries(
    storedIn(KIND_FIELDS[kind]).map(({ name, kind: { read }, filters = [], otherwise }) => {
      const value = read(EXAMPLES[kind][name] ?? filters[0]?.example)
      if (value === undefined) expect.fail(`add an example of ${kind}.${name}`)
      expect(value, name).not.toEqual(otherwise)
      return [name, value]
    }),
  ),
})
const RECORDS = {
  observation_type: whole('observation_type'),
  event_series: whole('event_series'),
  event: whole('event'),
}

/** Returns the forms in which a surface may show a value. */
const formsOf = (kind: Kind, name: string, value: unknown): unknown[] => {
  const { code, name: quantity, unit } = RECORDS.observation_type
  const addresses = ['v3', 'v4'].map((version) => `${ORIGIN}/api/${version}/observationtypes/${value}/`)
  if (kind === 'event' && name === 'series') return [value, UUID]
  if (name === 'observation_type') return [value, ...addresses, code, quantity, unit]
  if (name === 'access_modifier') return [accessName(Number(value))]
  if (typeof value === 'number')
    return [value, isoInstant(value, name === 'start' || name === 'end' ? MILLISECONDS : MICROSECONDS)]
  // The load adds the fields of its event.
  if (name === 'metadata') return [expect.objectContaining({ source: 'Ships' })]
  if (name === 'object') return [value, { type: 'storm', id: 371 }, 'storm', 371]
  if (name === 'attributes') return [value, JSON.stringify(value)]
  return Array.isArray(value) ? [value, ...value] : [value]
}

/** Removes the format from an address. */
const withoutFormat = (shown: unknown) => (typeof shown === 'string' ? shown.replace(/\?format=\w+$/, '') : shown)

/** Checks that a surface shows each field. Derived fields only need a value. `plain` is for CSV, where all is text. */
const expectEachField = (kind: Kind, surface: Surface, shown: Shown, version: 'v3' | 'v4' = 'v3', plain = false) => {
  const seen = Object.entries(KIND_FIELDS[kind]).flatMap(([name, field]) =>
    membersOf({ [name]: field }, surface, version)
      .filter(({ inFeature }) => plain || !inFeature)
      .map((member) => {
        const value = withoutFormat(shown[member.name])
        if (field.kind === undefined) expect(value ?? '', member.name).not.toBe('')
        else {
          const forms = formsOf(kind, name, RECORDS[kind][name])
          expect(plain ? forms.map(String) : forms, member.name).toContainEqual(value)
        }
        return member.name
      }),
  )
  expect(seen.length).toBeGreaterThan(0)
}

const hidden = { vars: { ANONYMOUS_LEVEL: 'Hidden' } }
const textOf = async (path: string): Promise<string> => (await send(path, hidden)).text()
const json = (path: string) => get(path, hidden)
const OGC = '/ogc/collections'
const V3 = '/api/v3/events/'
const V4 = `/api/v4/eventseries/${UUID}/events/`
const at = (path: string): string => `${path}${RECORDS.event.id}/`

beforeAll(async () => {
  await insertRecords(env.DB, Object.values(RECORDS) as unknown as LoadRecord[])
})

it.each([
  ['event', events],
  ['event_series', eventSeries],
  ['observation_type', observationTypes],
] as const)('each column of the table %s has a value that is not its default', async (name, table) => {
  const [row] = await rows(`SELECT * FROM ${name}`)
  for (const column of Object.values(getTableColumns(table))) {
    expect(row?.[column.name], column.name).not.toBeNull()
    expect(row?.[column.name], column.name).not.toBe(column.default)
  }
})

describe('each field of an event is shown', () => {
  it.each<[string, Surface]>([
    [at(V3), 'v3'],
    [at(V4), 'v4'],
    [`${OGC}/events/items/${RECORDS.event.id}`, 'ogc'],
  ])('at %s', async (path, surface) => {
    const { id, geometry, properties } = await json(path)
    expect([id, geometry.coordinates]).toEqual([RECORDS.event.id, RECORDS.event.coordinates])
    expectEachField('event', surface, properties)
  })

  it.each([
    ['v3', V3],
    ['v4', V4],
  ] as const)('in %s as GeoJSON, CSV and newline-delimited JSON', async (version, path) => {
    const { features } = await json(`${path}?format=geojson`)
    expectEachField('event', 'flat', features[0].properties, version)
    const [row] = parse(await textOf(`${path}?format=csv`), { columns: true }) as unknown as [Shown]
    const { mag, place } = EXAMPLES.event.attributes as Shown
    // The list of one series has a column for each attribute.
    const columns = { attributes__mag: String(mag), attributes__place: JSON.stringify(place) }
    if (path === V4) expect(row).toMatchObject(columns)
    const attributes = JSON.stringify(EXAMPLES.event.attributes)
    expectEachField('event', 'flat', { attributes, ...row }, version, true)
    const line = JSON.parse(await textOf(`${path}?format=ndjson`))
    expectEachField('event', version, line.properties)
  })

  it.each([V3, V4])('on the page of %s', async (path) => {
    const html = await (await send(path, { ...hidden, headers: { Accept: 'text/html' } })).text()
    const { results } = JSON.parse(/id="answer">(.*?)<\/script>/s.exec(html)?.[1] ?? '{}')
    expectEachField('event', 'flat', results[0].properties, path === V3 ? 'v3' : 'v4')
  })

  it('in tiles', async () => {
    const tile = await send(`${OGC}/events/tiles/WebMercatorQuad/0/0/0?f=mvt`, hidden)
    const layer = new VectorTile(new PbfReader(await tile.arrayBuffer())).layers.events
    expect(layer?.length).toBe(1)
    expectEachField('event', 'tile', layer?.feature(0).properties ?? {})
  })
})

describe('each field is shown of', () => {
  it.each<[Kind, string, 'v3' | 'v4', Surface]>([
    ['event_series', '/api/v3/eventseries/', 'v3', 'flat'],
    ['event_series', '/api/v4/eventseries/', 'v4', 'v4'],
    ['observation_type', '/api/v3/observationtypes/', 'v3', 'flat'],
    ['observation_type', '/api/v4/observationtypes/', 'v4', 'v4'],
  ])('%s at %s, in all formats', async (kind, path, version, flat) => {
    const { results } = await json(path)
    expectEachField(kind, version, results[0])
    const { features } = await json(`${path}?format=geojson`)
    expectEachField(kind, flat, features[0].properties)
    const [row] = parse(await textOf(`${path}?format=csv`), { columns: true }) as unknown as [Shown]
    expectEachField(kind, flat, row, version, true)
    expectEachField(kind, version, JSON.parse(await textOf(`${path}?format=ndjson`)))
  })

  it('event_series as features', async () => {
    const { features } = await json(`${OGC}/eventseries/items`)
    expectEachField('event_series', 'ogc', features[0].properties)
  })
})

it('an export has each field, and an empty database has the same export after a load of it', async () => {
  const exported = async (db: D1Database): Promise<Shown[]> => {
    const records = []
    for await (const batch of databaseSource(db)()) records.push(...batch)
    return records as unknown as Shown[]
  }
  const lines = await exported(env.DB)
  for (const line of lines) expectEachField(line.kind as Kind, 'file', line)
  await applyD1Migrations(env.REFERENCE, env.TEST_MIGRATIONS)
  await insertRecords(
    env.REFERENCE,
    lines.map((line) => parseRecord(JSON.stringify(line))),
  )
  expect(await exported(env.REFERENCE)).toEqual(lines)
})

describe('an item that is deleted and posted again, as it was read, has all fields that clients write, from', () => {
  const without = (properties: Shown, names: string[]): Shown =>
    Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name)))

  it.each([
    [at(V4), V4],
    [`${OGC}/events/items/${RECORDS.event.id}`, `${OGC}/events/items`],
    [`${at(V3)}?format=geojson`, V3],
    [at(V3), V3],
  ])('%s', async (path, list) => {
    const item = await json(path)
    await write('DELETE', at(V3))
    const { status, headers } = await write('POST', list, item, { 'Content-Type': 'application/geo+json' })
    expect(status).toBe(201)
    const address = headers.get('Location') ?? ''
    const made = await json(path.includes('format') ? `${address}?format=geojson` : address)
    const own = ['url', 'last_modified']
    expect(without(made.properties, own)).toEqual(without(item.properties, own))
    expect(made.geometry).toEqual(item.geometry)
    await rows(`UPDATE event SET id = ${RECORDS.event.id} WHERE id = ${made.id}`)
  })

  it('/api/v4/eventseries/', async () => {
    const path = `/api/v4/eventseries/${UUID}/`
    const item = await json(path)
    await write('DELETE', `${path}?events=delete`)
    expect(await write('POST', '/api/v4/eventseries/', item)).toMatchObject({ status: 201 })
    const own = ['created', 'last_modified', 'start', 'end']
    expect(without(await json(path), own)).toEqual(without(item, own))
  })

  it('/api/v4/observationtypes/, with another code', async () => {
    const [item] = (await json('/api/v4/observationtypes/')).results
    const { status, body } = await write('POST', '/api/v4/observationtypes/', { ...item, code: 'another' })
    expect([status, without(body, ['url', 'id'])]).toEqual([201, { ...without(item, ['url', 'id']), code: 'another' }])
  })
})
