import { beforeAll, describe, expect, it } from 'vitest'
import type { Geometry } from '../src/geometry/geometry.ts'
import { MAX_PAGE_SIZE } from '../src/lists/resource.ts'
import { parseRecord } from '../src/store/records.ts'
import { namesIn, readText, readTexts } from './files.ts'
import { toHex, toWkb, toWkt } from './geometry/write.ts'
import { get, load, post } from './service.ts'
import { splitRows } from './tags.ts'

interface Counts {
  readonly valid: string
  readonly vertices: number
  readonly seed: { readonly within: number }
  readonly extra: { readonly within: number }
}

const SHARED = '../shared/data'
const counts: Record<string, Counts> = JSON.parse((await readText(`${SHARED}/areas/COUNTS.json`)) ?? '{}')
const areas = await readTexts(`${SHARED}/areas`, Object.keys(counts))
const encodings = await readTexts(`${SHARED}/areas/encodings`, await namesIn(`${SHARED}/areas/encodings`))
const extra = await readText(`${SHARED}/extra.ndjson.gz`)
const missing = extra === null

/** The test sends an area with a longer text in only two forms. */
const LARGE = 2500

const within = async (area: string) => {
  const { count, results } = await get('/api/v3/events/', {
    vars: { ANONYMOUS_LEVEL: 'Hidden', BODY_LIMIT: '4000000' },
    ...post(`page_size=${MAX_PAGE_SIZE}&geom_within=${encodeURIComponent(area)}`),
  })
  const ids: number[] = results.map(({ id }: { id: number }) => id)
  return { count, ids }
}

/** Returns an area in each form. The file has it as a Feature. */
const formsOf = (name: string): [form: string, text: string][] => {
  const text = areas[name] ?? ''
  const geometry: Geometry = JSON.parse(text).geometry
  const forms: [string, string][] = [
    ['Feature', text],
    ['HEXWKB', toHex(toWkb(geometry))],
  ]
  if ((counts[name]?.vertices ?? 0) > LARGE) return forms
  return [
    ...forms,
    ['geometry', JSON.stringify(geometry)],
    ['WKT', toWkt(geometry)],
    ['HEXEWKB', toHex(toWkb(geometry, { ewkb: true, srid: 4326, order: 'big' }))],
  ]
}

const named = (valid: boolean) =>
  Object.entries(counts).flatMap(([name, each]) => ((each.valid === 'Valid Geometry') === valid ? [name] : []))

const expected = (name: string) => (counts[name]?.seed.within ?? 0) + (counts[name]?.extra.within ?? 0)

describe.skipIf(missing)('a real area contains as many events as GEOS counts', () => {
  beforeAll(async () => {
    await load()
    await load((extra ?? '').trim().split('\n').map(parseRecord))
  })

  for (const [options, names] of splitRows(3, named(true)))
    it.each(names)('%s', options, async (name) => {
      for (const [form, text] of formsOf(name)) {
        const { count, ids } = await within(text)
        expect(count, form).toBe(expected(name))
        expect(new Set(ids).size, form).toBe(Math.min(count, MAX_PAGE_SIZE))
      }
    })

  it.each(Object.keys(encodings))('%s, in the text that GEOS wrote', async (file) => {
    const { count } = await within(encodings[file] ?? '')
    expect(count).toBe(expected(file.replace(/\.\w+$/, '.geojson')))
  })

  // Other programs may treat crossing rings in another way. Here all forms must have the same answer.
  it.each(named(false))(
    '%s is invalid, and every form of it gives the same answer',
    async (name) => {
      const [[, first = ''] = [], ...others] = formsOf(name)
      const answer = await within(first)
      for (const [form, text] of others) expect(await within(text), form).toEqual(answer)
    },
    10_000,
  )
})

it.runIf(missing)('without the files of real areas, nothing is compared', () => {
  expect(counts).toEqual({})
})
