import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { PRODUCT } from '../../src/base/product.ts'
import { describePages, EVENTS, STORMS } from './pages.ts'

/** An event whose value is only a number, and one without a value. */
const MEASURED = {
  kind: 'event',
  id: 90_001,
  series: 5,
  category: 'water level',
  value: '2.35',
  start: Date.UTC(2019, 8, 9, 9, 9, 9),
  end: Date.UTC(2019, 8, 10, 9, 9, 9),
  coordinates: [5.1, 52.1],
  object: null,
}
const UNVALUED = { ...MEASURED, id: 90_002, category: 'flood', value: '' }
/** An event with all kinds of attributes. */
const DESCRIBED = {
  ...MEASURED,
  id: 90_003,
  external_id: 'M000367',
  attributes: { Gemeente: 'Houten', Diepte: 4.5, Gemeld: true, Vissen: ['baars', 'snoek'], Remark: '<b>dead fish</b>' },
}

describePages('pages of events and series', { records: [MEASURED, UNVALUED, DESCRIBED] }, (pages) => {
  const { look } = pages
  const PHONE = { viewport: { width: 390, height: 844 } }
  const visibleCells = async (page: Page) =>
    (await page.locator('tbody tr').first().locator('td:visible').allTextContents()).map((text) =>
      text.replace(/ events of .*/, '').trim(),
    )
  const headline = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor()
  const beside = (page: Page) => page.getByRole('navigation', { name: 'The list of this event' })

  it('an event says what happened, and shows no object and no length if it has none', () =>
    look(`${EVENTS}200/`, async (page) => {
      await headline(page, 'M 2.7 - 123km NW of Talkeetna, Alaska')
      const told = page.locator('.told')
      await expect.poll(() => told.innerText()).toMatch(/^Earthquakes Alaska\s+earthquake\s+2018-02-05 02:44:43$/)
      await page.locator('.facts dt').getByText('Time', { exact: true }).waitFor()
      const names = await page.locator('.facts dt').allInnerTexts()
      expect(names).not.toContain('Object')
      expect(names).not.toContain('Duration')
      await page.goto(`${pages.address}${EVENTS}90001/`)
      await headline(page, 'Water level, Summary 2.35')
      await expect
        .poll(() => told.innerText())
        .toMatch(/^Atlantic storms 2010-2020\s+2019-09-09 09:09:09 – 2019-09-10 09:09:09$/)
      await page.goto(`${pages.address}${EVENTS}90002/`)
      await headline(page, 'Flood')
    }))

  it('an event shows the id at the source and all attributes, at each of its addresses', () =>
    look('/api/v3/', async (page) => {
      for (const path of [`${EVENTS}90003/`, '/api/v4/events/90003/', '/ogc/collections/events/items/90003']) {
        await page.goto(`${pages.address}${path}`)
        const facts = page.locator('.facts.panel > div')
        await facts.filter({ hasText: 'Gemeente' }).waitFor()
        const all = await facts.allInnerTexts()
        expect(all, path).toContainEqual(expect.stringMatching(/^Id at its source\n+M000367$/))
        const told = all.map((fact) => fact.split(/\n+/))
        const first = told.findIndex(([name]) => name === 'Gemeente')
        expect(told.slice(first, first + 5), path).toEqual([
          ['Gemeente', 'Houten'],
          ['Diepte', '4.5'],
          ['Gemeld', 'yes'],
          ['Vissen', 'baars, snoek'],
          ['Remark', '<b>dead fish</b>'],
        ])
      }
    }))

  it('numbers have the decimal mark of the language on the page of an event and in its list', () =>
    look(
      `${EVENTS}90003/`,
      async (page) => {
        await headline(page, 'Water level, Houten, Summary 2,35')
        await page.locator('.facts.panel > div').filter({ hasText: 'Summary' }).waitFor()
        const facts = await page.locator('.facts.panel > div').allInnerTexts()
        const found = facts.map((fact) => fact.split(/\n+/)).filter(([name]) => name === 'Summary' || name === 'Diepte')
        expect(found).toEqual([
          ['Summary', '2,35'],
          ['Diepte', '4,5'],
        ])
        await page.goto(`${pages.address}${EVENTS}?external_id=M000367`)
        await page.getByRole('cell', { name: '2,35', exact: true }).waitFor()
        await page.getByRole('cell', { name: '4,5', exact: true }).waitFor()
      },
      { locale: 'nl-NL' },
    ))

  it('times are in the zone of the browser', () =>
    look(
      `${EVENTS}200/`,
      async (page) => {
        await expect.poll(() => page.locator('.told').innerText()).toContain('2018-02-05 03:44:43')
        await page.locator('.facts dd').getByText('2018-02-05 03:44:43.189 +01:00').waitFor()
      },
      { timezoneId: 'Europe/Amsterdam' },
    ))

  it('shows the newest other events of its object and its series, with links to their lists', () =>
    look(`${EVENTS}16230/`, async (page) => {
      const ofObject = page.getByRole('region', { name: 'Other events of airport 3021' })
      const ofSeries = page.getByRole('region', { name: 'Other events of Wildlife strikes, large animals' })
      for (const region of [ofObject, ofSeries]) {
        await expect.poll(() => region.locator('li').count()).toBe(5)
        const times = await region.locator('small').allInnerTexts()
        expect(times).toEqual(times.toSorted().reverse())
      }
      expect(await ofSeries.locator('li a[href$="/16230/"]').count()).toBe(0)
      await page.goto(`${pages.address}/ogc/collections/events/items/16230`)
      await expect.poll(() => ofObject.locator('li').count()).toBe(5)
      expect(await ofObject.locator('li a').first().getAttribute('href')).toMatch(/^\/ogc\/.*\/items\/\d+$/)
      await page.goBack()
      await ofObject.getByRole('link', { name: 'All 189 events' }).click()
      await headline(page, '189 events')
    }))

  it('a strip shows when events at its place were, marks the event, and opens their list', () =>
    look(`${EVENTS}90003/`, async (page) => {
      const here = page.getByRole('region', { name: 'Other events at this place' })
      await expect.poll(() => here.locator('.marked').count()).toBe(1)
      expect(await here.locator('.shape rect').count()).toBeGreaterThan(12)
      await here.getByRole('link', { name: /^Over time: / }).click()
      await headline(page, '3 events')
      expect(new URL(page.url()).searchParams.get('near')).toBe('5.1,52.1')
    }))

  it('the head of a column sorts a list of /ogc, and its documents are in the language of the page', () =>
    look(
      '/ogc/collections/events/items?limit=5',
      async (page) => {
        await page.getByRole('columnheader', { name: /^Time/ }).getByRole('button').click()
        await page.waitForURL(/[?&]sortby=timestamp_start$/)
        await page.locator('th[aria-sort=ascending] button').click()
        await page.waitForURL(/[?&]sortby=-timestamp_start$/)
        await page.locator('th[aria-sort=descending]').waitFor()
        await page.goto(`${pages.address}/ogc`)
        await page.getByRole('link', { name: 'De collecties' }).click()
        await headline(page, 'Collecties')
      },
      { locale: 'nl-NL' },
    ))

  it('leads to the previous and the next event of the list, also on the next page of the list', () =>
    look(`${EVENTS}?category=hurricane&ordering=-timestamp_start&page_size=2`, async (page) => {
      const rows = page.locator('tbody td.named a')
      await rows.first().waitFor()
      const [first, second] = await rows.evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href))
      await rows.first().click()
      await page.waitForURL(first ?? '')
      const [previous, next] = ['Previous', 'Next'].map((name) => beside(page).getByRole('link', { name }))
      await next?.waitFor()
      expect(await previous?.count()).toBe(0)
      await next?.click()
      await page.waitForURL(second ?? '')
      // The third event is on the second page of the list.
      await next?.click()
      await page.waitForURL((url) => ![first, second].includes(url.href))
      await previous?.click()
      await page.waitForURL(second ?? '')
      await beside(page).getByRole('link', { name: 'Back to the 164 events' }).click()
      await headline(page, '164 events')
      expect(new URL(page.url()).search).toBe('?category=hurricane&ordering=-timestamp_start&page_size=2')
    }))

  it('an event that is not in the last list leads to all events', () =>
    look(`${EVENTS}?category=hurricane&ordering=-timestamp_start&page_size=2`, async (page) => {
      await headline(page, '164 events')
      const [back, all] = ['Back to the 164 events', 'To the list'].map((name) =>
        beside(page).getByRole('link', { name }),
      )
      const isOfNone = async () => {
        await all?.waitFor()
        expect(await all?.getAttribute('href')).toBe(EVENTS)
        expect(await back?.count()).toBe(0)
      }
      await page.goto(`${pages.address}${EVENTS}200/`)
      await isOfNone()
      await page.goBack()
      await page.locator('tbody td.named a').first().click()
      await back?.waitFor()
      await page.reload()
      await back?.waitFor()
      const other = page.getByRole('region', { name: 'Other events of' }).locator('li a').last()
      await other.click()
      await isOfNone()
    }))

  it('without a list, an event leads to its list only', () =>
    look(`${EVENTS}1708/`, async (page) => {
      await beside(page).getByRole('link', { name: 'To the list' }).waitFor()
      expect(await beside(page).getByRole('link').count()).toBe(1)
    }))

  it('a phone shows all columns of a series', () =>
    look(
      '/api/v3/eventseries/?page_size=1',
      async (page) => {
        await expect
          .poll(() => visibleCells(page))
          .toEqual([
            'Earthquakes Alaska',
            '297',
            '2018-01-31',
            '2018-02-07',
            expect.stringMatching(/^Network ak/),
            '50.3 – 67.9° N, 178.5 – 136.6° W',
          ])
        await page.goto(new URL('/api/v3/observationtypes/?page_size=1', page.url()).href)
        await expect.poll(() => visibleCells(page)).toEqual(['Seismic magnitude', '1', 'seismic_magnitude'])
      },
      PHONE,
    ))

  it('a list without rows shows no choice of parts', () =>
    look(
      `${EVENTS}?timestamp_start=never`,
      async (page) => {
        await headline(page, 'Events')
        expect(await page.getByRole('group', { name: 'Parts of this page' }).count()).toBe(0)
        await page.getByRole('button', { name: '+ Filter' }).waitFor()
      },
      { ...PHONE, errors: /status of 400/ },
    ))

  it('the tab of a page has its title in both languages', () =>
    look('/', async (page) => {
      for (const [path, english, dutch] of [
        ['/', PRODUCT, PRODUCT],
        [EVENTS, 'Events', 'Gebeurtenissen'],
        [`${EVENTS}1850/`, 'Pablo 2019: 70 kn, 977 hPa, 2019-10-25', 'Pablo 2019: 70 kn, 977 hPa, 2019-10-25'],
      ] as const) {
        await page.goto(`${pages.address}${path}`)
        await expect.poll(() => page.title()).toBe(english)
        await page.getByRole('button', { name: 'NL: Nederlands' }).click()
        await expect.poll(() => page.title()).toBe(dutch)
        await page.getByRole('button', { name: 'EN: English' }).click()
      }
    }))

  it('a series says what it observes before where it comes from', () =>
    look(`/api/v3/eventseries/${STORMS}/`, async (page) => {
      await page.getByRole('link', { name: 'Maximum sustained wind speed (kn)' }).waitFor()
      const names = await page.locator('.facts dt').allInnerTexts()
      expect(names[0]).toBe('Observes')
      expect(names.at(-1)).toBe('Description')
      const description = page.locator('.folded')
      expect(await description.innerText()).toMatch(/^One event a storm: .* Source: HURDAT2, /)
      const height = async () => (await description.boundingBox())?.height ?? 0
      const folded = await height()
      await description.locator('summary').click()
      await expect.poll(height).toBeGreaterThan(2 * folded)
    }))
})
