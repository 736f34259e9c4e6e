import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { PRODUCT } from '../../src/base/product.ts'
import { count, describePages, EVENTS, STORMS } from './pages.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Pages with a map, in each of its forms. */
const WITH_MAP = [
  '/',
  '/api/v3/events/?category=hurricane',
  // Its facets have histograms.
  `/api/v3/events/?event_series=${STORMS}`,
  '/api/v3/events/1708/',
  '/api/v3/eventseries/99fe5d03/',
]
const WITHOUT_MAP = [
  '/api/v3/events/?category=nothing',
  '/api/v3/events/?categroy=hurricane&object_id=x',
  '/api/v3/',
  '/api/v3/eventseries/',
  '/api/v3/observationtypes/',
  '/api/v4/eventseries/99fe5d03/',
  '/api/v4/eventseries/99fe5d03-893d-5b20-8244-b9189db33e37/events/',
  '/ogc/collections/events',
  '/ogc/collections/events/items?limit=5',
  '/api/v3/events/?page=9999',
]

/** Each colour scheme and each width once. They do not depend on each other. */
const LOOKS: [string, BrowserContextOptions][] = [
  ['light', { colorScheme: 'light', viewport: { width: 1440, height: 900 } }],
  [
    'a phone in the dark',
    { colorScheme: 'dark', viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
  ],
]

/** Returns the contrast of two colours (WCAG 2). */
const contrast = (a: readonly number[], b: readonly number[]): number => {
  const luminance = (color: readonly number[]) => {
    const [r = 0, g = 0, b = 0] = color.map((part) => {
      const value = part / 255
      return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const [light = 0, dark = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x)
  return (light + 0.05) / (dark + 0.05)
}

/** Returns the rules of axe that a page breaks, and the elements that break them. Axe leaves out the size of targets. */
const violations = async (page: Page) => {
  await page.evaluate(AXE)
  const found = await page.evaluate(() =>
    (window as unknown as { axe: typeof axe }).axe.run({ rules: { 'target-size': { enabled: true } } }),
  )
  return found.violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)])
}

describePages('the page is accessible', {}, (pages) => {
  const { look } = pages

  describe.each(LOOKS)('%s', (_, options) => {
    it.each([...WITH_MAP, ...WITHOUT_MAP])(
      '%s: axe reports no fault, and the page fits the width of the screen',
      async (path) => {
        // The policy of the page allows only its own scripts, and not axe.
        const webgl = WITH_MAP.includes(path)
        const { page, close } = await pages.open(path, { ...options, webgl, bypassCSP: true })
        try {
          await page.locator('main > * > *').first().waitFor()
          await page.waitForLoadState('networkidle')
          const [overflow, background] = await page.evaluate(() => [
            document.documentElement.scrollWidth - document.documentElement.clientWidth,
            getComputedStyle(document.body).backgroundColor,
          ])
          expect(overflow).toBe(0)
          expect(background).toBe(options.colorScheme === 'dark' ? 'rgb(18, 23, 28)' : 'rgb(246, 247, 248)')
          expect(await violations(page)).toEqual([])
          const filters = page.getByRole('button', { name: /^Filters/ })
          if ((await filters.count()) === 0) return
          await filters.click()
          await page.locator('aside').waitFor()
          expect(await violations(page)).toEqual([])
        } finally {
          await close()
        }
      },
    )
  })

  it.each(['light', 'dark'] as const)(
    '/docs: axe reports nothing in %s mode, for open and closed operations, and a link returns to the service',
    async (colorScheme) => {
      const { page, close } = await pages.open('/docs', { colorScheme, bypassCSP: true })
      try {
        await page.locator('.opblock').first().waitFor()
        // All sections have the same parts, and two of them show whether ids are unique. Axe needs a minute for all.
        await page.locator('.opblock-tag-section').evaluateAll((all) => {
          for (const section of all.slice(2)) section.remove()
        })
        await page.locator('.opblock-summary-control').first().click()
        await page.locator('.lookups').waitFor()
        expect(await violations(page)).toEqual([])
        const shade = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
        expect(shade).toBe(colorScheme === 'dark' ? 'rgb(18, 23, 28)' : 'rgb(246, 247, 248)')
        await page.getByRole('link', { name: PRODUCT }).click()
        await page.getByRole('heading', { level: 1, name: PRODUCT }).waitFor()
      } finally {
        await close()
      }
    },
  )

  it.each(['light', 'dark'] as const)(
    'pressed and hovered controls have enough contrast in %s mode',
    async (colorScheme) => {
      const { page, close } = await pages.open(`${EVENTS}?category=hurricane`, { colorScheme, webgl: true })
      try {
        const button = page.getByRole('button', { name: 'Rectangle' })
        await button.click()
        for (const target of [
          button,
          page.getByRole('button', { name: '+ Filter' }),
          page.getByRole('button', { name: 'Category: hurricane' }),
          page.getByText('Download', { exact: true }),
        ]) {
          await target.hover()
          const colors = await target.evaluate((element) => {
            const { color, backgroundColor } = getComputedStyle(element)
            const canvas = document.createElement('canvas').getContext('2d') as CanvasRenderingContext2D
            return [color, backgroundColor].map((each) => {
              canvas.fillStyle = each
              canvas.fillRect(0, 0, 1, 1)
              return Array.from(canvas.getImageData(0, 0, 1, 1).data.slice(0, 3))
            })
          })
          expect(contrast(colors[0] ?? [], colors[1] ?? []), JSON.stringify(colors)).toBeGreaterThan(4.5)
        }
      } finally {
        await close()
      }
    },
  )

  it('a skip link jumps over the filters to the results', () =>
    look(`${EVENTS}?category=hurricane`, async (page) => {
      await count(page, '164 events')
      await page.keyboard.press('Tab')
      const skip = page.getByRole('link', { name: 'To the results' })
      expect(await skip.evaluate((element) => element === document.activeElement)).toBe(true)
      await page.keyboard.press('Enter')
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('164 events')
      // The controls load after the rows.
      await page.locator('#ordering').waitFor()
      await page.keyboard.press('Tab')
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('ordering')
    }))

  it('the Tab key reaches every control, in the order of the page', () =>
    look('/api/v3/eventseries/', async (page) => {
      await page.locator('#ordering').waitFor()
      const reached: string[] = []
      for (let i = 0; i < 60; i++) {
        await page.keyboard.press('Tab')
        reached.push(
          await page.evaluate(() => {
            const { activeElement: at } = document
            return (at?.getAttribute('aria-label') ?? at?.textContent ?? '').trim().slice(0, 30)
          }),
        )
      }
      const expected = [
        'To the results',
        'Copy link',
        'Enter a key',
        'Download',
        '+ Filter',
        'Earthquakes Alaska',
        'Next page',
        'API',
      ]
      expect(reached.slice(0, reached.indexOf('API') + 1).filter((text) => expected.includes(text))).toEqual(expected)
      expect(reached.indexOf('Earthquakes Alaska')).toBeLessThan(20)
    }))

  it('at most 15 stops of the Tab key precede the rows', () =>
    look(EVENTS, async (page) => {
      await page.locator('.add').waitFor()
      let stops = 0
      const isInRows = () => page.evaluate(() => document.activeElement?.closest('tbody') !== null)
      for (; !(await isInRows()) && stops < 30; stops++) await page.keyboard.press('Tab')
      expect(stops - 1).toBeLessThanOrEqual(15)
    }))

  it('a list without a map loads only its own scripts', () =>
    look(
      '/api/v4/eventseries/',
      async (page) => {
        await count(page, '11 event series')
        await page.waitForLoadState('networkidle')
        const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
        expect(loaded.filter((name) => /maplibre|map-|timeline|draw/.test(name))).toEqual([])
      },
      { webgl: true },
    ))
})
