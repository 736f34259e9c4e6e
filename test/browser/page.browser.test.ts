import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { addFilter, apply, chipsOf, inputOf, KEY } from './browser.ts'
import { count, counted, describePages, EVENTS, query, STORMS } from './pages.ts'

const PRIVATE = 'aa894e09-f0d7-5a9e-8e64-ab22bf8ec1c8'

const HOSTILE = {
  kind: 'event',
  id: 90_001,
  series: 5,
  category: '<img src=x onerror=alert(1)>',
  value: '</script><script>alert(1)</script> "><b>bold</b>',
  start: Date.UTC(2019, 8, 9, 9, 9, 9),
  end: Date.UTC(2019, 8, 10, 9, 9, 9),
  coordinates: [-40, 30],
  object: null,
}

describePages('the page in a browser', { records: [HOSTILE] }, (pages) => {
  const { look } = pages
  const MAP = { webgl: true }
  const drawn = (page: Page) => page.locator('.map canvas').waitFor()

  describe('a list', () => {
    it('shows its rows, and its scripts report no error', () =>
      look(
        EVENTS,
        async (page) => {
          await count(page, '15,176 events')
          expect(await page.title()).toBe('Events')
          expect(await page.locator('tbody tr').count()).toBe(10)
          await page.locator('aside').getByRole('checkbox').first().waitFor()
          await drawn(page)
        },
        MAP,
      ))

    it('shows the rows that the HTML contains, before any other request', () =>
      look(
        `${EVENTS}?category=hurricane`,
        async (page) => {
          await count(page, '164 events')
          let go = () => {}
          const seen = new Promise<void>((resolve) => {
            go = resolve
          })
          const held: string[] = []
          await page.route('**/*', async (route) => {
            const { pathname } = new URL(route.request().url())
            const isFirst = pathname === EVENTS || /^\/assets\/kept\/(page-\w+\.css|chunk-\w+\.js)$/.test(pathname)
            if (!isFirst) {
              held.push(pathname)
              await seen
            }
            await route.continue()
          })
          await page.reload({ waitUntil: 'commit' })
          await page.locator('.rows tbody tr').nth(9).waitFor()
          await count(page, '164 events')
          expect(held.length).toBeGreaterThan(0)
          go()
          await drawn(page)
        },
        MAP,
      ))

    it('is readable without scripts', () =>
      look(
        `${EVENTS}?page_size=1`,
        async (page) => {
          expect(await page.locator('table').innerText()).toContain('M 2.3 - 81km WNW of Skagway, Alaska')
          await page.locator('table a').first().click()
          expect(page.url()).toBe(`${pages.address}${EVENTS}1/`)
        },
        { javaScriptEnabled: false },
      ))

    it('shows hostile data as plain text', () =>
      look(
        `${EVENTS}?timestamp_start__gte=2019-09-09T09:09:09Z&timestamp_start__lt=2019-09-09T09:09:10Z`,
        async (page) => {
          await count(page, '1 event')
          expect(await page.locator('tbody').innerText()).toContain(HOSTILE.value)
          expect(await page.locator('tbody img, tbody b, tbody script').count()).toBe(0)
        },
      ))

    it('says that no map can be drawn, and that nothing matches', () =>
      look(`${EVENTS}?category=hurricane`, async (page) => {
        await page.getByText('The map needs WebGL, which this browser lacks.').waitFor()
        await page.locator('.plot svg').waitFor()
        await count(page, '164 events')
        await page.goto(`${pages.address}${EVENTS}?category=nothing`)
        await count(page, '0 events')
        await page.getByText('Nothing matches.').waitFor()
      }))
  })

  describe('filters', () => {
    it('appear as chips as in the address and can be changed; back and forward work', () =>
      look(`${EVENTS}?category__icontains=HURR`, async (page) => {
        await count(page, '164 events')
        await expect.poll(() => chipsOf(page)).toEqual(['Category contains HURR'])
        await addFilter(page, 'timestamp_start', 'gte')
        await apply(page, '2017-01-01')
        await count(page, '68 events')
        expect(query(page)).toEqual({ category__icontains: 'HURR', timestamp_start__gte: '2017-01-01' })
        await page.goBack()
        await count(page, '164 events')
        expect(await chipsOf(page)).toEqual(['Category contains HURR'])
        await page.goForward()
        await count(page, '68 events')
        expect(await chipsOf(page)).toEqual(['Category contains HURR', 'Start from 2017-01-01'])
        await page.reload()
        await count(page, '68 events')
        await page.getByRole('link', { name: 'Clear all' }).click()
        await count(page, '15,176 events')
        expect(query(page)).toEqual({})
      }))

    it('have a field for every parameter of the list', () =>
      look(EVENTS, async (page) => {
        await count(page, '15,176 events')
        const described = await page.request.fetch(`${pages.address}${EVENTS}`, { method: 'OPTIONS' })
        const { filters } = (await described.json()) as { filters: Record<string, string> }
        // The menu is in a script of its own, so it may come after the count.
        await page.locator('.add').waitFor()
        const fields = await page
          .locator('.fields [data-field]')
          .evaluateAll((all) => all.map((each) => each.getAttribute('data-field') ?? ''))
        const offered: string[] = []
        for (const field of fields) {
          await addFilter(page, field)
          offered.push(
            ...(await page.locator('form.editor .line').evaluateAll((lines) =>
              lines.flatMap((line) => {
                const name = line.getAttribute('data-field') ?? ''
                const lookups = Array.from(line.querySelector('.lookup')?.children ?? [], (each) =>
                  each.getAttribute('value'),
                )
                return lookups.length > 0 ? lookups.map((lookup) => (lookup ? `${name}__${lookup}` : name)) : [name]
              }),
            )),
          )
          await page.keyboard.press('Escape')
        }
        // Except for texts, `exact` is the parameter without a lookup. The box for words is beside the filters.
        const known = Object.keys(filters).filter(
          (name) => name !== 'q' && (!name.endsWith('__exact') || filters[name] === 'text'),
        )
        expect(offered.filter((name) => !name.startsWith('attributes')).sort()).toEqual(
          known.filter((name) => !name.startsWith('attributes')).sort(),
        )
        expect(offered).toContain('attributes__gte')
      }))

    it('a faulty address keeps its filters, which can correct it', () =>
      look(
        `${EVENTS}?categroy=hurricane&object_id=x&timestamp_start__gte=someday&event_series__name__icontains=storm`,
        async (page, { faults }) => {
          const alert = page.getByRole('alert').filter({ hasText: '3 parts of the address are not valid' })
          await alert.waitFor()
          expect(await alert.locator('li').allInnerTexts()).toEqual([
            expect.stringMatching(/^categroy Unknown parameter\. Did you mean category\?/),
            expect.stringMatching(/^object_id Enter a whole number/),
            expect.stringMatching(/^timestamp_start__gte Enter a time in UTC, such as 2018-02-05 14:30/),
          ])
          expect(await inputOf(page, 'object_id').inputValue()).toBe('x')
          expect(await chipsOf(page)).toEqual([
            'Categroy: hurricane',
            'Start from someday',
            'Name of the series contains storm',
          ])
          await page.getByRole('link', { name: 'Use Category' }).click()
          await page.getByRole('alert').filter({ hasText: '2 parts' }).waitFor()
          expect(query(page)).toMatchObject({ category: 'hurricane', object_id: 'x' })
          await apply(page, '')
          await page.getByRole('alert').filter({ hasText: 'A part of the address is' }).waitFor()
          await inputOf(page, 'timestamp_start__gte').waitFor()
          await apply(page, '2017')
          await count(page, '68 events')
          expect(query(page)).toEqual({
            category: 'hurricane',
            timestamp_start__gte: '2017-01-01',
            event_series__name__icontains: 'storm',
          })
          expect(await page.getByRole('alert').filter({ hasText: /./ }).count()).toBe(0)
          expect(faults.splice(0).every((fault) => fault.includes('status of 400'))).toBe(true)
        },
      ))

    it('an answer that arrives does not change the text in the field with the focus', () =>
      look(`${EVENTS}?page_size=1`, async (page) => {
        await count(page, '15,176 events')
        let answer = () => {}
        const held = new Promise<void>((resolve) => {
          answer = resolve
        })
        await page.route(/timestamp_start__gte=/, async (route) => {
          await held
          await route.continue()
        })
        await addFilter(page, 'timestamp_start', 'gte')
        await apply(page, '2018-02-05')
        await addFilter(page, 'timestamp_start', 'lte')
        const value = inputOf(page, 'timestamp_start__lte')
        await value.fill('2018-02-')
        answer()
        await page.waitForURL(/timestamp_start__gte/)
        expect(await value.inputValue()).toBe('2018-02-')
        await value.pressSequentially('05')
        await value.press('Enter')
        await count(page, '191 events')
        await page.getByRole('region', { name: 'Categories' }).getByLabel('earthquake').check()
        await count(page, '189 events')
        await expect.poll(() => chipsOf(page)).toContain('Category: earthquake')
      }))

    it('series and categories are chosen from lists with counts, and searched', () =>
      look(EVENTS, async (page) => {
        await count(page, '15,176 events')
        const series = page.getByRole('region', { name: 'Series', exact: true })
        const categories = page.getByRole('region', { name: 'Categories' })
        await series.getByRole('checkbox', { name: /^Wildlife strikes, small animals/ }).waitFor()
        expect(await series.getByRole('checkbox').count()).toBe(6)
        await series.getByRole('button', { name: '5 more' }).click()
        expect(await series.getByRole('checkbox').count()).toBe(11)
        await series.getByRole('checkbox', { name: /^Atlantic storms 2010-2020\s+171/ }).check()
        await count(page, '171 events')
        expect(query(page)).toEqual({ event_series: STORMS })
        // The other entries can still be chosen.
        await series.getByRole('checkbox', { name: /^Atlantic storm phases/ }).check()
        await count(page, '721 events')
        await series.getByRole('checkbox', { name: /^Atlantic storms 2010-2020/ }).uncheck()
        await count(page, '550 events')
        await page.goBack()
        await page.goBack()
        await page.goBack()
        await count(page, '15,176 events')
        // This entry is not among the hundred of the summary.
        await categories.getByRole('searchbox').fill('img src')
        await categories.getByRole('checkbox', { name: HOSTILE.category }).check()
        await count(page, '1 event')
        expect(query(page)).toEqual({ category: HOSTILE.category })
      }))

    it('a second condition on one field uses another lookup', () =>
      look(`${EVENTS}?category=hurricane`, async (page) => {
        await count(page, '164 events')
        await addFilter(page, 'category', 'isnull')
        await inputOf(page, 'category__isnull').selectOption('true')
        await page.getByRole('button', { name: 'Apply' }).click()
        await count(page, '0 events')
        expect(query(page)).toEqual({ category: 'hurricane', category__isnull: 'true' })
      }))
  })

  describe('pages and orderings', () => {
    it('next, previous, last and first change the page', () =>
      look(`${EVENTS}?page_size=50`, async (page) => {
        await page.getByText('Page 1 of 304').waitFor()
        await page.getByRole('link', { name: 'Next page' }).press('Enter')
        await page.getByText('Page 2 of 304').waitFor()
        await page.locator('tbody td.named a[href$="/51/"]').waitFor()
        await page.getByRole('link', { name: 'Last page' }).click()
        await page.getByText('Page 304 of 304').waitFor()
        expect(query(page)).toMatchObject({ page: 'last', page_size: '50' })
        await page.getByRole('link', { name: 'Previous page' }).click()
        await page.getByText('Page 303 of 304').waitFor()
        await page.getByRole('link', { name: 'First page' }).click()
        await page.getByText('Page 1 of 304').waitFor()
        await page.getByLabel(/^Rows/).selectOption('100')
        await page.getByText('Page 1 of 152').waitFor()
      }))

    it('many rows are drawn only when scrolled into view, and a new page starts at its top', () =>
      look(`${EVENTS}?page_size=1000`, async (page) => {
        await page.getByText('Page 1 of 16').waitFor()
        await page.getByText('900 more rows of this page').waitFor()
        expect(await page.locator('tbody tr').count()).toBe(100)
        // A key follows the link where a click may miss it: more rows move it when it is scrolled into view.
        await page.getByRole('link', { name: 'Next page' }).press('Enter')
        await page.getByText('Page 2 of 16').waitFor()
        await page.locator('tbody td.named a[href$="/1001/"]').waitFor()
        for (const rows of [200, 1000]) {
          await expect
            .poll(async () => {
              await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight))
              return page.locator('tbody tr').count()
            })
            .toBeGreaterThanOrEqual(rows)
        }
        expect(await page.getByText('more rows of this page').isVisible()).toBe(false)
        await page.getByRole('link', { name: 'Next page' }).press('Enter')
        await page.getByText('Page 3 of 16').waitFor()
        await page.waitForLoadState('networkidle')
        const top = await page.locator('thead').evaluate((head) => head.getBoundingClientRect().top)
        expect(top).toBeGreaterThan(-2)
        expect(top).toBeLessThan(450)
      }))

    it('a click on a heading sorts ascending, a second click descending', () =>
      look(`${EVENTS}?category=hurricane`, async (page) => {
        const heading = page.getByRole('columnheader', { name: 'Start' })
        await heading.getByRole('button').click()
        await page.locator('th[aria-sort="ascending"]', { hasText: 'Start' }).waitFor()
        await heading.getByRole('button').click()
        await page.locator('th[aria-sort="descending"]', { hasText: 'Start' }).waitFor()
        expect(query(page)).toEqual({ category: 'hurricane', ordering: '-timestamp_start' })
        expect(await page.locator('tbody time').first().innerText()).toMatch(/^2020-11/)
        expect(await page.getByLabel('Order by').inputValue()).toBe('-timestamp_start')
      }))

    it('Subscribe leads to the feed of the filters, and so does the head of the page', () =>
      look(`${EVENTS}?category=hurricane&ordering=-timestamp_start&page_size=50`, async (page) => {
        const link = page.getByRole('link', { name: 'Subscribe', exact: true })
        const inHead = page.locator('head link[rel="alternate"][type="application/atom+xml"]')
        const addresses = async () => [await link.getAttribute('href'), await inHead.getAttribute('href')]
        const feed = `${EVENTS}?category=hurricane&format=atom`
        await expect.poll(addresses).toEqual([feed, feed])
        const { headers, text } = await page.evaluate(async (address) => {
          const response = await fetch(address)
          return { headers: response.headers.get('Content-Type'), text: await response.text() }
        }, feed)
        expect([headers, text]).toEqual(['application/atom+xml; charset=utf-8', expect.stringMatching(/^<\?xml/)])
        await page.getByRole('link', { name: /^Remove the filter Category/ }).click()
        await expect.poll(addresses).toEqual([`${EVENTS}?format=atom`, `${EVENTS}?format=atom`])
        await page.goto(`${new URL(page.url()).origin}/api/v3/eventseries/`)
        await page.getByText('Download', { exact: true }).waitFor()
        expect([await link.count(), await inHead.count()]).toEqual([0, 0])
      }))

    it('the menu of downloads has all matching events in each format, and Escape or a click beside it closes it', () =>
      look(`${EVENTS}?category=hurricane`, async (page) => {
        const menu = page.locator('#downloads:popover-open')
        const closes = [() => page.keyboard.press('Escape'), () => page.locator('h1').click()]
        for (const close of closes) {
          await page.getByText('Download', { exact: true }).click()
          await menu.waitFor()
          await close()
          expect(await menu.count()).toBe(0)
        }
        for (const [name, file, content] of [
          ['GeoJSON', 'events_category-hurricane.geojson', /"FeatureCollection"/],
          ['CSV', 'events_category-hurricane.csv', /^id,/],
          ['NDJSON', 'events_category-hurricane.ndjson', /^\{"id":\d+.*\n\{/],
        ] as const) {
          if ((await menu.count()) === 0) await page.getByText('Download', { exact: true }).click()
          const [download] = await Promise.all([
            page.waitForEvent('download'),
            page.getByRole('link', { name, exact: true }).click(),
          ])
          expect(download.suggestedFilename()).toBe(file)
          expect(readFileSync(await download.path(), 'utf8')).toMatch(content)
        }
      }))
  })

  describe('the map', () => {
    const area = (page: Page) => page.getByLabel('Within an area', { exact: true })
    const applyArea = (page: Page) => page.getByRole('button', { name: 'Apply' }).click()

    it('WKT and GeoJSON can be pasted as an area, and an unreadable one is reported at its field', () =>
      look(
        EVENTS,
        async (page) => {
          await addFilter(page, 'geom_within')
          await area(page).fill('POLYGON ((3 50, 8 50')
          await applyArea(page)
          await page.locator('[data-field="geom_within"] .fault', { hasText: 'at character 21' }).waitFor()
          for (const text of [
            'POLYGON ((3 50, 8 50, 8 54, 3 54, 3 50))',
            '{"type":"Polygon","coordinates":[[[3,50],[8,50],[8,54],[3,54],[3,50]]]}',
          ]) {
            await area(page).fill(text)
            await applyArea(page)
            await expect.poll(() => query(page)).toEqual({ geom_within: text })
            await count(page, '157 events')
            await page.locator('.chip button').click()
          }
        },
        { errors: /status of 400/ },
      ))

    it('a file with an area too long for an address is posted', () =>
      look(EVENTS, async (page) => {
        await count(page, '15,176 events')
        const ring = Array.from({ length: 400 }, (_, i) => [
          5.5 + 2.5 * Math.cos((i * Math.PI) / 200),
          52 + 2 * Math.sin((i * Math.PI) / 200),
        ])
        const text = JSON.stringify({ type: 'Polygon', coordinates: [[...ring, ring[0]]] })
        await addFilter(page, 'geom_within')
        await page
          .getByLabel('File with an area')
          .setInputFiles({ name: 'area.geojson', mimeType: 'application/geo+json', buffer: Buffer.from(text) })
        await expect.poll(() => area(page).inputValue()).toBe(text)
        await applyArea(page)
        await expect.poll(() => counted(page)).not.toBe('15,176 events')
        const narrowed = await counted(page)
        expect(query(page)).toEqual({})
        await page.reload()
        await count(page, narrowed)
        await page.locator('.chip button').click()
        expect(await area(page).inputValue()).toBe(text)
      }))
  })

  describe('the timeline', () => {
    it('the keyboard moves the brush, and a bar shows its period and count', () =>
      look(`${EVENTS}?category=hurricane`, async (page) => {
        await count(page, '164 events')
        const slider = page.getByRole('slider')
        await slider.waitFor()
        await slider.focus()
        const told = () => slider.getAttribute('aria-valuetext')
        expect(await told()).toBe('quarter 2 2010 – quarter 4 2020: 164 events')
        await page.keyboard.press('ArrowRight')
        expect(await told()).toMatch(/^quarter 2 2010: \d+ events?$/)
        for (let i = 0; i < 4; i++) await page.keyboard.press('Shift+ArrowRight')
        const [, chosen] = /: (\d+ events)$/.exec((await told()) ?? '') ?? []
        expect(await page.locator('.plot .tip').innerText()).toBe(await told())
        await page.keyboard.press('Enter')
        await page.waitForURL(/timestamp_start__gte=.*timestamp_start__lt=/)
        await count(page, chosen ?? '')
      }))
  })

  describe('series and single items', () => {
    it('a series links to its events, and they link to their pages', () =>
      look(
        '/api/v3/eventseries/',
        async (page) => {
          await count(page, '11 event series')
          await drawn(page)
          await page.getByRole('link', { name: '171 events of Atlantic storms 2010-2020' }).click()
          await count(page, '171 events')
          expect(query(page)).toEqual({ event_series: STORMS, ordering: '-timestamp_start', page_size: '50' })
          await page.locator('tbody a').first().click()
          await page.getByRole('heading', { level: 1 }).waitFor()
          await page.getByRole('link', { name: 'Back to the 171 events' }).waitFor()
          await page.locator('.told').getByRole('link', { name: 'Atlantic storms 2010-2020' }).click()
          await page.getByRole('link', { name: 'Events of this series' }).click()
          await count(page, '171 events')
        },
        MAP,
      ))

    it('the home page shows all series and links to their events', () =>
      look(
        '/',
        async (page) => {
          await page.getByText('15,176 events in 11 event series, 1916 – 2025').waitFor()
          expect(await page.locator('.card').count()).toBe(11)
          // Each card has the period of its series, and its shape in time.
          const storms = page.locator('.card', { hasText: 'Atlantic storms 2010-2020' })
          expect(await storms.locator('small').first().innerText()).toBe('Jun 2010 – Nov 2020')
          await storms.locator('.shape rect').nth(30).waitFor()
          await drawn(page)
          await page.locator('.plot svg').waitFor()
          await page.locator('.home').getByRole('link', { name: 'OGC API (QGIS)' }).waitFor()
          await page.getByRole('link', { name: '171 events of Atlantic storms 2010-2020' }).click()
          await count(page, '171 events')
          await page.goBack()
          await page.locator('.card').getByRole('link', { name: 'Atlantic storms 2010-2020', exact: true }).click()
          await page.getByRole('heading', { level: 1, name: 'Atlantic storms 2010-2020' }).waitFor()
          await page.getByRole('heading', { name: '171 events' }).waitFor()
          await page.getByRole('link', { name: 'Maximum sustained wind speed (kn)' }).waitFor()
          await drawn(page)
          await page.locator('.plot svg').waitFor()
          await page.getByText('Download', { exact: true }).click()
          const [download] = await Promise.all([
            page.waitForEvent('download'),
            page.getByRole('link', { name: 'CSV' }).click(),
          ])
          expect(readFileSync(await download.path(), 'utf8').split('\r\n')).toHaveLength(173)
        },
        MAP,
      ))

    it('an event links to related events and back to the list, and requests its series once', () =>
      look(
        `${EVENTS}?category=hurricane&ordering=-timestamp_start`,
        async (page) => {
          await count(page, '164 events')
          const asked: string[] = []
          page.on('request', (request) => asked.push(request.url()))
          await page.locator('tbody a').first().click()
          const facts = page.locator('.facts')
          await facts.getByRole('link', { name: /^Atlantic / }).waitFor()
          await drawn(page)
          const ofSeries = asked.filter((address) => address.includes('/eventseries/'))
          const [descriptions, lists] = [true, false].map((isOne) =>
            ofSeries.filter((address) => address.endsWith('/metadata/') === isOne),
          )
          expect([descriptions?.length, lists?.length]).toEqual([1, 1])
          // The names come with the description of the series.
          await expect
            .poll(() => facts.locator('dt').allInnerTexts())
            .toEqual([
              ...['Summary', 'Start', 'Status', 'Object', 'End', 'Duration', 'Series', 'Place'],
              ...['Storm', 'Maximum sustained wind', 'Id', 'Last changed'],
            ])
          expect(await facts.locator('dd').nth(4).innerText()).toMatch(/^2020-11-\d\d \d\d:00:00 UTC$/)
          const object = await facts.getByRole('link', { name: /^storm \d+$/ }).getAttribute('href')
          expect(object).toMatch(/^\/api\/v3\/events\/\?.*object=storm\$\d+$/)
          await page.getByRole('link', { name: 'Back to the 164 events' }).click()
          await count(page, '164 events')
          expect(query(page)).toEqual({ category: 'hurricane', ordering: '-timestamp_start' })
          await page.locator('tbody a').first().click()
          await facts.getByRole('link', { name: 'hurricane', exact: true }).click()
          await count(page, '164 events')
          expect(query(page)).toEqual({ category: 'hurricane', ordering: '-timestamp_start', page_size: '50' })
        },
        MAP,
      ))
  })

  describe('an access key', () => {
    it('shows more events until the user removes it; an unknown key is reported', () =>
      look(`${EVENTS}?event_series=${PRIVATE}&fields=value,event_series`, async (page, { faults }) => {
        await count(page, '0 events')
        await page.getByRole('button', { name: 'Enter a key' }).click()
        await page.getByLabel('Your key').fill('wrong')
        await page.getByRole('button', { name: 'Use key' }).click()
        await page.locator('#key-fault', { hasText: 'This service does not know the key.' }).waitFor()
        expect(faults.splice(0).every((fault) => fault.includes('status of 401'))).toBe(true)
        await page.getByLabel('Your key').fill(KEY)
        await page.getByRole('button', { name: 'Use key' }).click()
        await expect.poll(() => counted(page)).not.toBe('0 events')
        expect(page.url()).not.toContain(KEY)
        expect(await page.evaluate(() => [JSON.stringify(localStorage), document.cookie].join())).not.toContain(KEY)
        await page.locator('.series a').first().click()
        await page.getByRole('heading', { level: 1, name: 'Earthquakes worldwide' }).waitFor()
        await page.reload()
        await page.getByRole('heading', { level: 1, name: 'Earthquakes worldwide' }).waitFor()
        faults.splice(0) // The first request has no key and is a 404. Then the script sends the key.
        await page.getByRole('button', { name: 'Key in use' }).click()
        await page.getByRole('button', { name: 'Forget key' }).click()
        await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor()
        faults.splice(0)
      }))

    it.each([
      ['an event', 'Not found'],
      ['a list', '0 events'],
    ])('without its key, %s leaves nothing of the private data', (kind, heading) =>
      look(
        `${EVENTS}?event_series=${PRIVATE}`,
        async (page, { faults }) => {
          await page.evaluate((key) => sessionStorage.setItem('key', key), KEY)
          await page.reload()
          await expect.poll(() => counted(page)).not.toBe('0 events')
          await drawn(page)
          if (kind === 'an event') {
            await page.locator('tbody a').first().click()
            await page.locator('.facts').first().waitFor()
            await drawn(page)
          }
          await page.getByRole('button', { name: 'Key in use' }).click()
          await page.getByRole('button', { name: 'Forget key' }).click()
          await count(page, heading)
          await page.waitForLoadState('networkidle')
          const left = await page.evaluate(() => [
            ...[document.title, ...Object.values(sessionStorage)],
            ...Array.from(document.querySelectorAll('main, nav'), ({ textContent }) => textContent),
          ])
          expect(left.join('\n')).not.toMatch(/Earthquakes worldwide|[1-9]\d* events/i)
          expect(await page.locator('.map, tbody tr, .facts').count()).toBe(0)
          faults.splice(0) // The page without a key is a 404.
        },
        MAP,
      ),
    )
  })

  describe('an answer from the cache of the browser', () => {
    /** Opens a page, and returns the request headers of its summary. */
    const asksSummary = async (page: Page, path = `${EVENTS}?category=hurricane`) => {
      const [request] = await Promise.all([
        page.waitForRequest((sent) => sent.url().includes(`${EVENTS}summary/`)),
        page.goto(`${pages.address}${path}`),
      ])
      await (await request.response())?.finished()
      return request.allHeaders()
    }

    it('is used for a request that is repeated within seconds', () =>
      look(
        EVENTS,
        async (page) => {
          await page.locator('.plot svg').waitFor()
          const headers = await asksSummary(page, '/')
          await page.locator('.plot svg').waitFor()
          expect([headers['cache-control'], headers.pragma]).toEqual([undefined, undefined])
          await asksSummary(page, '/')
          const received = await page.evaluate(() =>
            performance
              .getEntriesByType('resource')
              .filter(({ name }) => name.includes('/summary/'))
              .map((entry) => (entry as PerformanceResourceTiming).transferSize),
          )
          expect(received).toContain(0)
        },
        { fresh: true },
      ))

    it('is replaced after a write on /docs', () =>
      look('/docs', async (page) => {
        await page.locator('.opblock-tag', { hasText: 'v3 observationtypes' }).click()
        const operation = page.locator('.opblock-get', { hasText: '/api/v3/observationtypes/{id}/' }).first()
        await operation.locator('.opblock-summary-control').click()
        await operation.getByRole('button', { name: 'Try it out' }).click()
        await operation.getByPlaceholder('id').fill('1')
        // A write answers with a bookmark.
        await page.route('**/observationtypes/1/', async (route) => {
          const response = await route.fetch()
          await route.fulfill({ response, headers: { ...response.headers(), 'x-d1-bookmark': '0-0' } })
        })
        await operation.getByRole('button', { name: 'Execute' }).click()
        await operation.locator('.live-responses-table').waitFor()
        const headers = await asksSummary(page)
        expect(headers['x-d1-bookmark']).toBe('0-0')
      }))
  })

  describe('the raw answer', () => {
    it('is shown as JSON with its headers and its methods, and copied as a curl command', () =>
      look(
        `${EVENTS}?category=hurricane`,
        async (page) => {
          await page.getByText('API', { exact: true }).click()
          await page.locator('.api .body', { hasText: '"count": 164' }).waitFor()
          await page.locator('.api .headers', { hasText: 'Allow: GET, POST, HEAD, OPTIONS' }).waitFor()
          expect(await page.getByRole('link', { name: 'Raw JSON' }).getAttribute('href')).toBe(
            `${EVENTS}?category=hurricane&format=json`,
          )
          await page.getByRole('button', { name: 'Copy as curl' }).click()
          await page.getByRole('button', { name: 'Copied' }).waitFor()
          expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
            `curl -H 'Accept: application/json' '${pages.address}${EVENTS}?category=hurricane'`,
          )
        },
        { permissions: ['clipboard-read', 'clipboard-write'] },
      ))
  })
})
