import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { PRODUCT } from '../../src/base/product.ts'
import { addFilter, KEY } from './browser.ts'
import { count, counted, describePages, EVENTS, STORMS } from './pages.ts'

const V4 = `/api/v4/eventseries/${STORMS}/events/`
const OGC = '/ogc/collections/events/items'

describePages('every page in a browser', {}, (pages) => {
  const { look } = pages
  /** Reads the facts of an item by their names. */
  const facts = (page: Page): Promise<Record<string, string>> =>
    page
      .locator('.facts > div')
      .evaluateAll((rows) =>
        Object.fromEntries(
          rows.map((row) => [row.querySelector('dt')?.textContent, (row.querySelector('dd') as HTMLElement).innerText]),
        ),
      )

  /** Returns the paths with a page in both OpenAPI descriptions. */
  const addresses = async (): Promise<string[]> => {
    const pathsOf = async (document: string) => {
      const response = await fetch(`${pages.address}${document}`)
      return Object.keys(((await response.json()) as { paths: object }).paths)
    }
    const ogc = (await pathsOf('/ogc/api?f=json')).map((path) => `/ogc${path}`)
    return [...(await pathsOf('/openapi.json')), ...ogc]
      .filter((path) => !/z$|\.csv$|\{tileRow\}|\{extension\}/.test(path))
      .map((path) =>
        path
          .replace(/(events\/(?:items\/)?)\{(id|featureId)\}/, '$11708')
          .replace(/\{(id|featureId)\}/, path.includes('{collectionId}') ? '1708' : '1')
          .replace('{uuid}', STORMS)
          .replace('{collectionId}', `events-${STORMS}`)
          .replace('{tileMatrixSetId}', 'WebMercatorQuad'),
      )
  }

  /** A heading, and a text of the page at an address. */
  const SHOWN: Readonly<Record<string, readonly [title: string, text: string]>> = {
    '/': [PRODUCT, '15,175 events'],
    '/api/v3/': ['Api Root', 'Observation types'],
    '/api/v4/': ['Api Root', 'Event series'],
    '/api/v4/eventseries/': ['11 event series', 'Earthquakes Alaska'],
    '/api/v3/observationtypes/': ['4 observation types', 'Seismic magnitude'],
    '/api/v3/observationtypes/1/': ['Seismic magnitude', 'seismic_magnitude'],
    [`/api/v4/eventseries/${STORMS}/`]: ['Atlantic storms 2010-2020', 'Maximum sustained wind speed (kn)'],
  }

  it('each page has its heading, and none shows [object Object], undefined or NaN', { timeout: 240_000 }, () =>
    look('/', async (page) => {
      const paths = [`${EVENTS}summary/?facets=category`, ...(await addresses())]
      expect(paths.length).toBeGreaterThan(30)
      expect(paths).toEqual(expect.arrayContaining(Object.keys(SHOWN)))
      const wrong: string[] = []
      for (const path of paths) {
        await page.goto(`${pages.address}${path}`)
        await page.locator('main > * > *').first().waitFor()
        const [title, text] = SHOWN[path] ?? []
        if (title !== undefined) await page.getByRole('heading', { level: 1, name: title }).waitFor()
        if (text !== undefined) await page.getByText(text).first().waitFor()
        await page.waitForLoadState('networkidle')
        const shown = await page.locator('body').innerText()
        for (const [part] of shown.matchAll(/.{0,30}(\[object Object\]|\bundefined\b|\bNaN\b).{0,30}/g))
          wrong.push(`${path}: ${part}`)
      }
      expect(wrong).toEqual([])
    }),
  )

  describe('version 4', () => {
    it('the events of a series have a heading, times, the series, a map and a graph', () =>
      look(
        `${V4}?category=hurricane&page_size=1`,
        async (page) => {
          await count(page, '76 events')
          await page.getByText('Atlantic storms 2010-2020 · hurricane').waitFor()
          const [value, start] = await page.locator('tbody td').allInnerTexts()
          expect([value, start]).toEqual(['Alex 2010: 95 kn, 946 hPa', '2010-06-25 18:00'])
          await page.getByRole('columnheader', { name: 'Start' }).getByRole('button').waitFor()
          await page.locator('.map canvas').waitFor()
          await page.locator('.map-legend', { hasText: 'Atlantic storms' }).waitFor()
        },
        { webgl: true },
      ))

    it('a brushed period and a drawn area filter the list with its own parameter names', () =>
      look(`${V4}?category=hurricane`, async (page) => {
        await count(page, '76 events')
        // New bars forget the chosen ones.
        await page.waitForLoadState('networkidle')
        await page.locator('.plot').focus()
        for (const key of ['ArrowRight', 'Shift+ArrowRight', 'Enter']) await page.keyboard.press(key)
        await page.waitForURL(/[?&]start__gte=.*&start__lt=/)
        await page.getByRole('button', { name: 'All times' }).click()
        await count(page, '76 events')
        await addFilter(page, 'geometry__within')
        await page
          .getByLabel('Within an area', { exact: true })
          .fill('POLYGON ((-80 20, -60 20, -60 35, -80 35, -80 20))')
        await page.getByRole('button', { name: 'Apply' }).click()
        await page.waitForURL(/geometry__within=/)
        await page.getByText(/^Within an area: 20\.0\s?–\s?35\.0° N/).waitFor()
        await expect.poll(() => counted(page)).not.toBe('76 events')
      }))

    it('an event shows its fields and links to its list', () =>
      look(`${V4}1708/`, async (page) => {
        await page.getByText('Lowest air pressure').waitFor()
        expect(await facts(page)).toMatchObject({
          Summary: 'Alex 2010: 95 kn, 946 hPa',
          'Lowest air pressure': '946 hPa',
          Start: '2010-06-25 18:00:00 UTC',
          End: '2010-07-02 00:00:00 UTC',
          Duration: '6 d 6 h',
          Object: 'storm 342',
        })
        await page.getByRole('link', { name: 'To the list' }).click()
        await count(page, '170 events')
        expect(new URL(page.url()).pathname).toBe(V4)
      }))
  })

  describe('/ogc', () => {
    it('a collection lists its fields in rows and its links by title', () =>
      look('/ogc/collections/events', async (page) => {
        await page.getByText('Item count', { exact: true }).waitFor()
        const found = await facts(page)
        expect(found['Item count']).toBe('15175')
        expect(found.Bbox).toBe('-178.45, 7.7, 50.15, 78')
        expect(found.Interval).toBe('1916-04-30T22:00:00Z, 2025-10-26T01:00:00Z')
        // The label does not touch the value.
        const [label, value] = await page.locator('.facts > div').evaluateAll(([first]) => {
          const range = document.createRange()
          return ['dt', 'dd'].map((name) => {
            range.selectNodeContents(first?.querySelector(name) as Node)
            return range.getBoundingClientRect()
          })
        })
        expect((value?.left ?? 0) - (label?.right ?? 0)).toBeGreaterThan(8)
        await page.getByRole('link', { name: 'The features as a page' }).click()
        await count(page, '15,175 events')
      }))

    it('items are shown as a table with pages', () =>
      look(`${OGC}?category=hurricane&limit=50`, async (page) => {
        await count(page, '164 events')
        expect(await page.locator('tbody tr').count()).toBe(50)
        await page.getByRole('link', { name: 'Next page' }).click()
        await page.getByText('Page 2 of 4').waitFor()
        await page.getByRole('link', { name: 'Last page' }).click()
        await page.getByText('Page 4 of 4').waitFor()
        expect(await page.locator('tbody tr').count()).toBe(14)
        await page.getByLabel(/^Rows/).selectOption('500')
        await page.getByText('Page 1 of 1').waitFor()
        await page.locator('tbody a').first().click()
        const series = page.locator('.facts .series')
        await series.getByRole('link', { name: /^Atlantic storm/ }).waitFor()
        await series.locator('.swatch[style*="background-color: rgb"]').waitFor({ state: 'attached' })
        await page.getByRole('link', { name: 'Back to the 164 events' }).click()
        await count(page, '164 events')
        expect(new URL(page.url()).pathname).toBe(OGC)
      }))

    it('a series links to its events', () =>
      look('/ogc/collections/eventseries/items', async (page) => {
        await count(page, '11 event series')
        await page.getByRole('link', { name: 'Atlantic storms 2010-2020', exact: true }).click()
        await page.getByText('Maximum sustained wind speed').waitFor()
        await page.getByRole('link', { name: 'Events of this series' }).click()
        await count(page, '170 events')
      }))

    it('a click with a key sends one request', () =>
      look('/ogc/collections', async (page) => {
        await page.evaluate((key) => sessionStorage.setItem('key', key), KEY)
        await page.reload()
        await page.waitForLoadState('networkidle')
        const asked: (string | undefined)[] = []
        page.on('request', (request) => {
          if (request.url().endsWith('/ogc/collections/events')) asked.push(request.headers().authorization)
        })
        await page.getByRole('link', { name: 'This collection', exact: true }).first().click()
        await page.getByRole('heading', { level: 1, name: 'All events' }).waitFor()
        await page.waitForLoadState('networkidle')
        expect(asked).toEqual([`Bearer ${KEY}`])
      }))
  })

  describe('a page of an error offers a next step', () => {
    it('to the first page of a list, to the list of an item, or to a list that exists', () =>
      look(
        '/api/v3/',
        async (page) => {
          for (const [path, all] of [
            [`${EVENTS}?category=hurricane&page=9999`, '164 events'],
            [`${V4}?page=9999`, '170 events'],
          ] as const) {
            await page.goto(`${pages.address}${path}`)
            await page.getByRole('alert').filter({ hasText: 'This list has no page 9999.' }).waitFor()
            await page.locator('.add').waitFor()
            await page.getByRole('link', { name: 'Go to page 1' }).click()
            await count(page, all)
          }
          for (const [path, link, heading] of [
            ['/api/v3/events/0/', 'To the list', '15,175 events'],
            [`${V4}1/`, 'To the list', '170 events'],
            [`${OGC}/0`, 'To the list', '15,175 events'],
            ['/api/v3/eventseries/00000000/', 'To the list', '11 event series'],
            ['/nothing', 'Events', '15,175 events'],
            ['/api/v5/events/', 'Home', 'Event series'],
            ['/api/v4/eventseries/00000000/events/', 'Event series', '11 event series'],
          ] as const) {
            await page.goto(`${pages.address}${path}`)
            await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
            await page.getByRole('alert').getByRole('link', { name: link, exact: true }).click()
            await count(page, heading)
          }
        },
        { errors: /status of 404/ },
      ))

    it('a 503 offers a retry', () =>
      look(
        `${EVENTS}?category=hurricane`,
        async (page) => {
          await count(page, '164 events')
          await page.locator('tbody a').first().click()
          await page.locator('.item .facts').waitFor()
          let isDown = true
          await page.route(/\?category=hurricane$/, (route) =>
            isDown ? route.fulfill({ status: 503, json: { detail: 'Not now.' } }) : route.continue(),
          )
          await page.goBack()
          await page.getByRole('alert').filter({ hasText: 'Not now.' }).waitFor()
          isDown = false
          await page.getByRole('link', { name: 'Try again' }).click()
          await count(page, '164 events')
        },
        { errors: /status of 503/ },
      ))
  })

  describe('the filter form', () => {
    it('ticked entries stay visible when their count is zero', () =>
      look('/api/v3/events/?event_series=4df9f063&category=earthquake&object_type__model=storm', async (page) => {
        await count(page, '0 events')
        const ticked = (region: string, name: RegExp) =>
          page.getByRole('region', { name: region, exact: true }).getByRole('checkbox', { name, checked: true })
        await ticked('Series', /^Atlantic hurricane fixes 2010-2020\s+0/).waitFor()
        await ticked('Objects', /^storm/).waitFor()
        await ticked('Categories', /^earthquake\s+0/).click()
        await expect.poll(() => counted(page)).not.toBe('0 events')
      }))
  })

  it('nothing covers the map, the count or the focus, even at 200 % zoom', () =>
    look('/api/v3/events/?category=hurricane&page_size=50', async (page) => {
      await page.setViewportSize({ width: 720, height: 450 })
      await count(page, '164 events')
      const sticky = await page.evaluate(
        () =>
          [...document.querySelectorAll('main *')].filter(
            (each) => each.checkVisibility() && ['sticky', 'fixed'].includes(getComputedStyle(each).position),
          ).length,
      )
      expect(sticky).toBe(0)
    }))
})
