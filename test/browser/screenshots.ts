import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { loadFiles } from '../../seed/load/files.ts'
import { openDatabase } from '../../seed/local/database.ts'
import { ROOT } from '../../seed/local/wrangler.ts'
import { buildWorker } from '../../seed/serve/build.ts'
import { writeAssets } from '../../src/web/build.ts'
import { makeStage } from './browser.ts'
import { CHROMIUM } from './chromium.ts'

const DOCS = join(ROOT, 'docs')
/** A polygon around the Caribbean and the Gulf. */
const AREA = 'POLYGON ((-97 18, -82 9, -60 9.5, -58 17, -66 27.5, -79 31.5, -84 30.5, -97.5 30, -97 18))'

/** The pictures of README.md and docs/api.md: file name, address, browser options, and the selector to wait for. */
const SHOTS: readonly [string, string, BrowserContextOptions, (page: Page) => Promise<unknown>][] = [
  [
    'events.png',
    `/api/v3/events/?category=hurricane&geom_within=${encodeURIComponent(AREA)}&page_size=50&ordering=-timestamp_start`,
    { colorScheme: 'light', viewport: { width: 1280, height: 960 } },
    (page) => page.locator('.plot svg').waitFor(),
  ],
  [
    'series.png',
    '/api/v3/eventseries/',
    { colorScheme: 'dark', viewport: { width: 1280, height: 860 } },
    (page) => page.locator('.map canvas').waitFor(),
  ],
]

if (CHROMIUM === undefined) {
  console.error('screenshots: no Chromium: install it, or name it in the variable CHROMIUM')
  process.exit(1)
}
await writeAssets()
mkdirSync(DOCS, { recursive: true })
const folder = mkdtempSync(join(tmpdir(), 'screenshots-'))
const { db, write, close: letGo } = await openDatabase(folder)
await loadFiles(db, [join(ROOT, 'seed/seed.ndjson.gz')], { write })
await letGo()
const stage = await makeStage(buildWorker(), folder)
try {
  for (const [name, path, options, prepare] of SHOTS) {
    const { page, faults, close } = await stage.open(path, options)
    await prepare(page)
    await page.waitForLoadState('networkidle')
    await page.waitForTimeout(10_000) // After loading, the map needs some time to draw.
    await page.screenshot({ path: join(DOCS, name) })
    for (const fault of faults) console.error(`${name}: ${fault}`)
    await close()
  }
} finally {
  await stage.close()
  rmSync(folder, { recursive: true })
}
