import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { PRODUCT } from '../../src/base/product.ts'
import { KEY, type Looks } from './browser.ts'
import { count, describePages, EVENTS, legend } from './pages.ts'

/** The page of a proxy that cannot reach the service, as Cloudflare sends it. */
const PROXY = { contentType: 'text/html', body: '<!doctype html><title>522</title><h1>Connection timed out</h1>' }

describePages('the page after a failure', {}, (pages) => {
  /** Opens a page. It may report failed requests, but no error of a script. */
  const look = (path: string, act: (page: Page) => Promise<void>, options: Looks = {}) =>
    pages.look(path, act, { errors: /^(console|request)/, ...options })
  const alert = (page: Page, text: string) => page.getByRole('alert').filter({ hasText: text })
  /** Returns whether an element is in view. */
  const isInView = (page: Page, text: string) =>
    alert(page, text).evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect()
      return top >= 0 && bottom <= innerHeight
    })

  it.each([
    ['en', 429, 'Too many requests.', 'Try again (after 7 s)'],
    ['nl', 408, 'Too late.', 'Probeer opnieuw (over 7 s)'],
  ])(
    'in %s, a %i below the screen is scrolled into view, with a retry and the time to wait',
    (locale, status, detail, retry) =>
      look(
        `${EVENTS}?category=hurricane&page_size=100`,
        async (page) => {
          let isBusy = true
          await page.route(/page=2/, (route) =>
            isBusy ? route.fulfill({ status, headers: { 'Retry-After': '7' }, json: { detail } }) : route.continue(),
          )
          const next = page.locator('.pager a').nth(2)
          await next.scrollIntoViewIfNeeded()
          await next.click()
          await alert(page, detail).waitFor()
          await expect.poll(() => isInView(page, detail)).toBe(true)
          isBusy = false
          await page.getByRole('button', { name: retry }).click()
          await page.waitForURL(/page=2/)
          expect(await alert(page, detail).count()).toBe(0)
        },
        { locale },
      ),
  )

  it.each([
    [
      'en',
      'The service answered with status 522.',
      'The service did not answer. Check your connection, then try again.',
    ],
    [
      'nl',
      'De dienst antwoordde met status 522.',
      'De dienst antwoordde niet. Controleer uw verbinding en probeer het opnieuw.',
    ],
  ])('in %s, a proxy and a lost connection have different messages', (locale, proxy, lost) =>
    look(
      `${EVENTS}?category=hurricane`,
      async (page) => {
        await page.locator('tbody a').first().waitFor()
        // A list asks for JSON, and other pages for HTML.
        for (const link of [page.locator('th .sort').first(), page.locator('tbody a').first()]) {
          await page.route(/ordering=|events\/\d+\/$/, (route) => route.fulfill({ status: 522, ...PROXY }))
          await link.click()
          await alert(page, proxy).waitFor()
          await page.unroute(/ordering=|events\/\d+\/$/)
          await page.route(/ordering=|events\/\d+\/$/, (route) => route.abort())
          await link.click()
          await alert(page, lost).waitFor()
          await page.unroute(/ordering=|events\/\d+\/$/)
        }
      },
      { locale },
    ),
  )

  it('a page that a network puts in place of an answer is no answer', () =>
    look(`${EVENTS}?category=hurricane`, async (page) => {
      await count(page, '164 events')
      await page.route(/ordering=/, (route) => route.fulfill({ status: 200, ...PROXY }))
      await page.locator('th .sort').first().click()
      await alert(page, 'The service did not answer.').waitFor()
      await count(page, '164 events')
    }))

  it('shows that it waits for an answer', () =>
    look(`${EVENTS}?category=hurricane`, async (page) => {
      await count(page, '164 events')
      let go = () => {}
      const held = new Promise<void>((resolve) => {
        go = resolve
      })
      await page.route(/ordering=/, async (route) => {
        await held
        await route.continue()
      })
      const opacity = () => page.locator('.rows').evaluate((rows) => Number(getComputedStyle(rows).opacity))
      expect(await opacity()).toBe(1)
      await page.locator('th .sort').first().click()
      await page.locator('main[aria-busy="true"]').waitFor()
      await expect.poll(opacity).toBeLessThan(0.7)
      go()
      await page.waitForURL(/ordering=/)
      await expect.poll(opacity).toBe(1)
    }))

  it('says that a part of it could not be loaded, and loads it again', () =>
    look('/api/v3/', async (page) => {
      await page.route('**/assets/kept/later-*.js', (route) => route.abort())
      await page.goto(`${pages.address}${EVENTS}?category=hurricane`)
      await count(page, '164 events')
      await alert(page, 'A part of this page could not be loaded.').waitFor()
      await page.unroute('**/assets/kept/later-*.js')
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByRole('button', { name: '+ Filter' }).waitFor()
      expect(await alert(page, 'could not be loaded').count()).toBe(0)
    }))

  it('an answer that it cannot show leaves the rest of it', () =>
    look(`${EVENTS}?category=hurricane`, async (page) => {
      await count(page, '164 events')
      await page.route(/ordering=/, (route) =>
        route.fulfill({ json: { count: 1, next: null, previous: null, results: [null] } }),
      )
      await page.locator('th .sort').first().click()
      await page.getByText('This page cannot show the answer.').waitFor()
      await page.getByRole('link', { name: PRODUCT }).click()
      await page.getByRole('heading', { level: 1, name: PRODUCT }).waitFor()
      expect(await page.getByText('This page cannot show').count()).toBe(0)
    }))

  it('works in a browser that blocks its storage, also with a key', () =>
    look('/api/v3/', async (page) => {
      await page.addInitScript(() => {
        for (const name of ['localStorage', 'sessionStorage'])
          Object.defineProperty(window, name, {
            get: () => {
              throw new DOMException('blocked', 'SecurityError')
            },
          })
      })
      await page.goto(`${pages.address}${EVENTS}?category=hurricane`)
      await count(page, '164 events')
      await page.locator('tbody a').first().click()
      await page.getByRole('link', { name: 'Back to the 164 events' }).click()
      await count(page, '164 events')
      await page.getByRole('button', { name: 'Enter a key' }).click()
      await page.getByLabel('Your key').fill(KEY)
      const [request] = await Promise.all([
        page.waitForRequest(/category=hurricane$/),
        page.getByRole('button', { name: 'Use key' }).click(),
      ])
      expect(request.headers().authorization).toBe(`Bearer ${KEY}`)
      await page.getByRole('button', { name: 'Key in use' }).waitFor()
    }))

  it('without a secure address, the curl command is copied all the same', () =>
    look(`${EVENTS}?category=hurricane`, async (page) => {
      await page.addInitScript(() => Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined }))
      await page.reload()
      await page.getByText('API', { exact: true }).click()
      await page.getByRole('button', { name: 'Copy as curl' }).click()
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      const words = page.getByRole('searchbox', { name: 'Words' })
      await words.focus()
      await page.keyboard.press('Control+V')
      expect(await words.inputValue()).toContain(`curl -H 'Accept: application/json'`)
    }))

  describe('the map', () => {
    const MAPLIBRE = '**/assets/kept/maplibre-gl-*.js'
    const TILE = /WebMercatorQuad\/\d/

    it('says that it could not be loaded, and loads again', () =>
      look(
        '/api/v3/',
        async (page) => {
          await page.route(MAPLIBRE, (route) => route.abort())
          await page.goto(`${pages.address}${EVENTS}?category=hurricane`)
          await page.locator('.map').getByText('The map could not be loaded.').waitFor()
          expect(await page.getByText('WebGL').count()).toBe(0)
          await page.unroute(MAPLIBRE)
          await page.locator('.map').getByRole('button', { name: 'Try again' }).click()
          await expect.poll(() => legend(page)).toMatch(/dot|storm/)
        },
        { webgl: true },
      ))

    it('says that tiles are missing, and asks for them again', () =>
      look(
        '/api/v3/',
        async (page) => {
          await page.route(TILE, (route) => route.fulfill({ status: 503, json: { detail: 'Not now.' } }))
          await page.goto(`${pages.address}${EVENTS}?category=hurricane&page_size=1`)
          const told = page.locator('.map').getByText('Some events could not be loaded.')
          await told.waitFor()
          await page.unroute(TILE)
          const tile = page.waitForResponse((response) => TILE.test(response.url()) && response.ok())
          await page.locator('.map').getByRole('button', { name: 'Try again' }).click()
          await tile
          await told.waitFor({ state: 'detached' })
          await expect.poll(() => legend(page)).toMatch(/dot|storm/)
        },
        { webgl: true },
      ))
  })
})
