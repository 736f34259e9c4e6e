import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { BrowserContextOptions } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { makeStage, type Stage } from './browser.ts'
import { CHROMIUM } from './chromium.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const PATHS = [
  '/',
  '/api/v3/events/?category=hurricane',
  '/api/v3/events/?category=nothing',
  '/api/v3/events/1708/',
  '/api/v3/eventseries/',
  '/api/v4/eventseries/99fe5d03/',
]

const LOOKS: [string, BrowserContextOptions][] = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['a phone', { colorScheme: 'light', viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }],
]

describe.skipIf(CHROMIUM === undefined)('the page for everyone (skipped where there is no Chromium)', () => {
  let stage: Stage

  beforeAll(async () => {
    stage = await makeStage(inject('worker'))
  })
  afterAll(() => stage?.close())

  describe.each(LOOKS)('%s', (_, options) => {
    it.each(PATHS)('%s: axe finds nothing, and nothing is wider than the screen', async (path) => {
      // The policy of the page would refuse the script of axe, which is not the page's own.
      const { page, close } = await stage.open(path, { ...options, bypassCSP: true })
      try {
        await page.locator('.view > *').first().waitFor()
        await page.waitForLoadState('networkidle')
        const [overflow, background] = await page.evaluate(() => [
          document.documentElement.scrollWidth - document.documentElement.clientWidth,
          getComputedStyle(document.body).backgroundColor,
        ])
        expect(overflow).toBe(0)
        expect(background).toBe(options.colorScheme === 'dark' ? 'rgb(18, 23, 28)' : 'rgb(246, 247, 248)')
        await page.evaluate(AXE)
        const { violations } = await page.evaluate(() =>
          (window as unknown as { axe: { run: () => Promise<AxeResults> } }).axe.run(),
        )
        const found = violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])
        expect(found).toEqual([])
      } finally {
        await close()
      }
    })
  })

  it('the keyboard reaches everything, in the order of the page', async () => {
    const { page, close } = await stage.open('/api/v3/eventseries/')
    try {
      await page.getByRole('heading', { name: '11 event series' }).waitFor()
      const reached: string[] = []
      for (let i = 0; i < 24; i++) {
        await page.keyboard.press('Tab')
        reached.push(
          await page.evaluate(() => {
            const { activeElement: at } = document
            return (at?.getAttribute('aria-label') ?? at?.textContent ?? '').trim().slice(0, 30)
          }),
        )
      }
      const expected = [
        'Reference',
        'Enter a key',
        'Copy as curl',
        'OPTIONS',
        'Raw JSON',
        'Lookup of Name',
        'Apply',
        'Clear all',
        'GeoJSON',
        'CSV',
      ]
      expect(reached.filter((text) => expected.includes(text))).toEqual(expected)
    } finally {
      await close()
    }
  })

  it('a list without a map does not load one', async () => {
    const { page, close } = await stage.open('/api/v4/eventseries/')
    try {
      await page.getByRole('heading', { name: '11 event series' }).waitFor()
      await page.waitForLoadState('networkidle')
      const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
      expect(loaded.filter((name) => /maplibre|map-|timeline|draw/.test(name))).toEqual([])
    } finally {
      await close()
    }
  })
})
