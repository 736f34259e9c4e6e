import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { d1Engine } from '../src/engine/d1/engine.ts'
import type { Engine } from '../src/engine/engine.ts'
import type { Geometry } from '../src/geometry/geometry.ts'
import { parseGeometry } from '../src/geometry/parse.ts'
import { prepare } from '../src/geometry/within.ts'
import { parseRecord } from '../src/store/records.ts'
import { idsIn } from './engine/inArea.ts'
import { namesIn, readText, readTexts, SEED } from './files.ts'
import { toHex, toWkb, toWkt } from './geometry/write.ts'
import { engineOn, hasPostgres } from './postgres/database.ts'
import { loadedPostgres } from './postgres/loaded.ts'
import type { LoadRecord } from './records.ts'
import { get, load, post } from './service.ts'
import { splitRows } from './tags.ts'

interface Counts {
  readonly valid: string
  readonly seed: { readonly within: number }
  readonly extra: { readonly within: number }
}

const AREAS = '../shared/data/areas'
/** The counts of GEOS. Programs may treat crossing rings in another way, so these counts are not compared. */
const counts: Record<string, Counts> = JSON.parse((await readText(`${AREAS}/COUNTS.json`)) ?? '{}')
const namesOf = async (folder: string) => (await namesIn(`${AREAS}/${folder}`)).map((name) => folder + name)
const names = (await Promise.all(['', 'github/', 'encodings/'].map(namesOf))).flat()
const files = names.filter((name) => name !== 'COUNTS.json')
const areas = Object.entries(await readTexts(AREAS, files))
const extra = (await readText('../shared/data/extra.ndjson.gz')) ?? ''

const geometryOf = (text: string): Geometry => parseGeometry(new TextEncoder().encode(text))

/** Returns the number of events in an area, in a posted request. */
const countIn = async (area: string): Promise<number> => {
  const body = post(`page_size=1&geom_within=${encodeURIComponent(area)}`)
  return (await get('/api/v3/events/', { vars: { ANONYMOUS_LEVEL: 'Hidden', BODY_LIMIT: '4000000' }, ...body })).count
}

describe.runIf(extra !== '')('a real area', () => {
  const records = `${SEED}\n${extra}`.split('\n').filter(Boolean).map(parseRecord) as LoadRecord[]
  const placed = records.flatMap((each) => {
    const [x, y] = (each.kind === 'event' && each.coordinates) || []
    return x === undefined || y === undefined ? [] : [{ id: each.id, point: [x, y] as const }]
  })
  const engines: Engine[] = [d1Engine(env.DB)]
  beforeAll(async () => {
    await load(records)
    if (hasPostgres) engines.push(engineOn(await loadedPostgres(records)))
  })

  for (const [options, some] of splitRows(3, areas))
    it.each(some)('%s has as many events as GEOS counts, over each engine', options, async (name, text) => {
      const geometry = geometryOf(text)
      for (const closed of [false, true]) {
        const area = prepare(geometry, closed)
        const inside = placed.filter(({ point }) => area.contains(...point))
        const ids = inside.map(({ id }) => id).sort((a, b) => a - b)
        for (const engine of engines) expect(await idsIn(engine, null, geometry, closed)).toEqual(ids)
        if (closed) continue
        expect(await countIn(text)).toBe(ids.length)
        const count = counts[name.replace(/^encodings\/(.*)\.\w+$/, '$1.geojson')]
        if (count?.valid === 'Valid Geometry') expect(ids.length).toBe(count.seed.within + count.extra.within)
      }
    })

  it('has a file for each count', () => {
    expect(names).toEqual(expect.arrayContaining(Object.keys(counts)))
  })

  it.each(areas)('%s is the same area in each form', (_, text) => {
    const geometry = geometryOf(text)
    const ewkb = toHex(toWkb(geometry, { ewkb: true, srid: 4326, order: 'big' }))
    for (const form of [toHex(toWkb(geometry)), JSON.stringify(geometry), toWkt(geometry), ewkb])
      expect(geometryOf(form)).toEqual(geometry)
  })
})

it.runIf(extra === '')('without the files of real areas, nothing is compared', () => {
  expect(counts).toEqual({})
})
