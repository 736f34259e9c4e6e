import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import booleanPointInPolygon from '@turf/boolean-point-in-polygon'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { dependencies } from '../../package.json'
import { makeAssets, writeAssets } from '../../src/web/build.ts'
import type { World } from '../../src/web/world.ts'
import { type RunningWorker, startWorker } from '../worker.ts'

const folder = mkdtempSync(join(tmpdir(), 'assets-'))
let service: RunningWorker

beforeAll(async () => {
  service = await startWorker(inject('worker'), folder, {}, true)
})

afterAll(async () => {
  await service.close()
  rmSync(folder, { recursive: true })
})

describe('the files that browsers load', () => {
  it('are served beside the Worker, and a missing file is a 404 of the Worker', async () => {
    for (const [path, content] of await makeAssets()) {
      if (path === '_headers') continue
      const { status, headers, body } = await answer(`/${path}`)
      expect([path, status]).toEqual([path, 200])
      expect(body.equals(Buffer.from(content))).toBe(true)
      const kept = path.startsWith('assets/kept/') ? 'public, max-age=31536000, immutable' : 'no-cache'
      expect([path, headers.get('Cache-Control')]).toEqual([path, kept])
      expect(headers.get('X-Content-Type-Options')).toBe('nosniff')
    }
    const missing = await answer('/assets/nothing.js')
    expect([missing.status, missing.body.toString()]).toEqual([404, '{"detail":"Not found."}'])
  })

  it('have no styles of controls that the map does not have', async () => {
    const css = Buffer.from((await makeAssets()).get('assets/map.css') ?? '').toString()
    expect(css).toContain('.maplibregl-ctrl-zoom-in')
    expect(css).not.toMatch(/ctrl-(?:fullscreen|geolocate)/)
    expect(css.length).toBeLessThan(20_000)
  })

  it('have the licences of all packages in them', async () => {
    const assets = await makeAssets()
    const licences = String(assets.get('assets/licences.txt'))
    // A server of one's own has these beside the Worker, in node_modules.
    const beside = ['@hono/node-server', 'miniflare', 'prom-client', 'smol-toml']
    const inWorker = Object.keys(dependencies).filter((name) => !beside.includes(name))
    const inPage = ['@preact/signals', 'maplibre-gl', 'preact', 'swagger-ui-dist', 'terra-draw', 'world-atlas']
    // MapLibre's published script contains earcut and another version of pbf.
    for (const name of [...inWorker, ...inPage, 'earcut'])
      expect(licences).toMatch(new RegExp(`^${name} [\\d.]+, [\\w-]+`, 'm'))
    expect(licences.match(/^pbf [\d.]+/gm)).toHaveLength(2)
    expect(licences).toContain('Copyright (c) 2015-present Jason Miller')
    expect(licences).not.toMatch(/^(?:esbuild|vitest) /m)
    const scripts = [...assets].filter(([path]) => /^assets\/(?:docs|kept\/page-\w+)\.js$/.test(path))
    expect(scripts).not.toEqual([])
    for (const [, script] of scripts) expect(Buffer.from(script).toString()).toContain('/assets/licences.txt')
  })

  it('are in the folder that wrangler serves, and a build writes only changed files', async () => {
    const written = join(folder, 'written')
    await writeAssets(written)
    const script = join(written, 'assets/docs.js')
    const before = statSync(script).mtimeMs
    writeFileSync(join(written, 'assets/old.js'), 'old')
    for (const [name, days] of [
      ['map-OLD.js', 6],
      ['map-OLDER.js', 8],
    ] as const) {
      writeFileSync(join(written, 'assets/kept', name), 'of an earlier build')
      utimesSync(join(written, 'assets/kept', name), new Date(), new Date(Date.now() - days * 86_400_000))
    }
    await Promise.all([writeAssets(written), writeAssets(written)])
    expect(statSync(script).mtimeMs).toBe(before)
    const files = readdirSync(written, { recursive: true, encoding: 'utf8' }).filter((file) => /\.|_/.test(file))
    expect(files.sort()).toEqual([...(await makeAssets()).keys(), 'assets/kept/map-OLD.js'].sort())
    expect(readFileSync('wrangler.toml', 'utf8')).toContain('directory = "dist/public"')
  })
})

/** The gzipped bytes of the scripts, of the writer of workbooks, and of the script and styles that the first view needs. */
const BUDGETS = { scripts: 370 * 1024, workbook: 40 * 1024, first: 35 * 1024 }

it('the scripts stay within their size limits, and the first view loads one script', async () => {
  const assets = await makeAssets()
  // The reference at /docs is a separate page.
  const scripts = [...assets].filter(([path]) => path.endsWith('.js') && !/docs|swagger/.test(path))
  const sizeOf = (content: Uint8Array | string) => gzipSync(content).length
  const sizeOfAll = (some: typeof scripts) => some.reduce((sum, [, content]) => sum + sizeOf(content), 0)
  // The writer of workbooks loads when a reader asks for one.
  const { workbooks = [], others = [] } = Object.groupBy(scripts, ([path]) =>
    path.includes('workbook') ? 'workbooks' : 'others',
  )
  expect(workbooks).toHaveLength(1)
  expect(sizeOfAll(workbooks)).toBeLessThanOrEqual(BUDGETS.workbook)
  expect(sizeOfAll(others)).toBeLessThanOrEqual(BUDGETS.scripts)
  const page = await (await fetch(`${service.address}/`, { headers: { Accept: 'text/html' } })).text()
  const loaded = Array.from(page.matchAll(/(?:src|href)="\/(assets\/kept\/[^"]+)"/g), ([, path = '']) => path)
  expect(loaded).toEqual([expect.stringMatching(/\.css$/), expect.stringMatching(/\.js$/)])
  const [styles, script] = loaded.map((path) => Buffer.from(assets.get(path) ?? '').toString())
  expect(/\b(?:from|import)"\.\//.test(script ?? '')).toBe(false)
  expect(sizeOf(`${styles}${script}`)).toBeLessThanOrEqual(BUDGETS.first)
  expect(sizeOf(script ?? '')).toBeGreaterThan(10 * 1024)
})

it('the map of the world is complete and smaller than its limit', async () => {
  const [, world = ''] = [...(await makeAssets())].find(([path]) => /world-\w+\.json$/.test(path)) ?? []
  expect(gzipSync(world).length).toBeLessThanOrEqual(290 * 1024)
  const [, coarse = ''] = [...(await makeAssets())].find(([path]) => /world-coarse-\w+\.json$/.test(path)) ?? []
  expect(gzipSync(coarse).length).toBeLessThanOrEqual(42 * 1024)
  const { features } = JSON.parse(Buffer.from(world).toString()) as World
  const land = features[0]?.geometry
  if (land?.type !== 'MultiPolygon') throw new Error('no land')
  for (const [ring = []] of land.coordinates) {
    expect(ring.length).toBeGreaterThan(3)
    expect(ring.at(-1)).toEqual(ring[0])
  }
  // Inland, near a coast, on an island, at sea, and on a lagoon's bar. The simplified map keeps land as land.
  const at = (x: number, y: number) => booleanPointInPolygon([x, y], land)
  expect([at(5.1, 52.1), at(4.35, 52.1), at(-157.9, 21.5), at(3.5, 52.5), at(0, -80)]).toEqual([
    true,
    true,
    true,
    false,
    true,
  ])
  const names = features.map(({ properties }) => [properties?.en, properties?.nl])
  expect(names).toEqual(
    expect.arrayContaining([
      ['Netherlands', 'Nederland'],
      ['Suriname', 'Suriname'],
      ['Malta', 'Malta'],
      ['Australia', 'Australië'],
      ['Kosovo', undefined],
    ]),
  )
})

async function answer(path: string) {
  const response = await fetch(`${service.address}${path}`, { signal: AbortSignal.timeout(10_000) })
  return { status: response.status, headers: response.headers, body: Buffer.from(await response.arrayBuffer()) }
}
