import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { addFilter, apply, chipsOf } from './browser.ts'
import { count, DUTCH, describePages, EVENTS, OVERFLOWS, query, SERIES, STORMS } from './pages.ts'

const VALUES = ['99.4', '979.9', '3020.5', '98.5']
const TOWNS = ['Houten', 'Zeist', 'Utrecht', 'Bunnik']
/** More series than one answer has, and a series with more categories than a summary lists. */
const OTHERS = Array.from({ length: 1000 }, (_, i) => {
  const uuid = `00000000-0000-4000-8000-00000001${String(i).padStart(4, '0')}`
  return { ...SERIES, id: 1000 + i, uuid, name: `Meetpunt ${i}` }
})
const KINDS = Array.from({ length: 130 }, (_, i) => ({
  ...{ kind: 'event', id: 91_000 + i, series: 1000, category: `kind ${i}`, value: '1' },
  ...{ start: Date.UTC(2003, 0, 1 + i), end: Date.UTC(2003, 0, 1 + i), coordinates: null, object: null },
}))
const METADATA = {
  ...{ source: null, source_url: null, license: null, contact: null, more: false },
  fields: [
    { name: 'value', title: 'Volume', type: 'number', unit: 'm³' },
    { name: 'attributes__Gemeente', title: 'Plaats', type: 'string' },
  ],
}
const RECORDS = [
  { ...SERIES, metadata: METADATA },
  ...OTHERS,
  ...KINDS,
  ...VALUES.map((value, i) => ({
    kind: 'event',
    id: 90_001 + i,
    series: 71,
    category: 'overflow',
    value,
    start: Date.UTC(2025, 11, 30 + i),
    end: Date.UTC(2025, 11, 30 + i),
    coordinates: [5.1, 52.1],
    object: null,
    attributes: { Beheerder: 'HDSR', Gemeente: TOWNS[i], Opmerking: i === 0 ? 'vis dood' : '', Punten: { a: 1 } },
  })),
]

describePages('a list in a browser', { records: RECORDS }, (pages) => {
  const { look } = pages
  /** The options for an address that the service refuses. */
  const REFUSED = { errors: /./ }

  const column = (page: Page, at: number) => page.locator(`.rows tbody td:nth-child(${at})`).allInnerTexts()

  const headings = (page: Page) => page.locator('.rows th').allInnerTexts()

  it('has a column for each attribute of one series, and one number of decimals in a column', () =>
    look(`${EVENTS}?event_series=${OVERFLOWS}`, async (page) => {
      await page.getByRole('columnheader', { name: 'Volume (m³)' }).waitFor()
      expect(await headings(page)).toEqual(['Start (UTC)', 'Volume (m³)', 'Plaats', 'Opmerking'])
      const cells = await page.locator('.rows tbody tr').first().locator('td').allInnerTexts()
      expect(cells).toEqual(['2025-12-30', '99.4', 'Houten', 'vis dood'])
      expect(await column(page, 2)).toEqual(['99.4', '979.9', '3,020.5', '98.5'])
    }))

  /** The heading of a list: what all matches have in common, and what their numbers come to. */
  const FOLDED = '4 events · Riooloverstorten · overflow · HDSR · 4,198.3 m³ in all · most m³: Utrecht'

  it.each([
    ['rows', `?event_series=${OVERFLOWS}`, FOLDED],
    ['a filter', `?event_series=${OVERFLOWS}&attributes__Beheerder=HDSR&page_size=2`, FOLDED],
    ['a summary', `?event_series=${OVERFLOWS}&page_size=2`, FOLDED],
    // Both rows of the page have the category, and other matches have not.
    [
      'nothing',
      `?event_series=${STORMS}&ordering=timestamp_start&page_size=2`,
      '170 events · Atlantic storms 2010-2020',
    ],
  ])('folds a column that is equal in all matches into the heading, as %s says: %s', (_, query, sentence) =>
    look('/api/v3/', async (page) => {
      const asked: string[] = []
      page.on('request', (request) => {
        // The panel asks for the other values of one chosen attribute.
        if (/summary.*facets=[^&]*,attributes__/.test(decodeURIComponent(request.url()))) asked.push(request.url())
      })
      await page.goto(`${pages.address}${EVENTS}${query}`)
      await page.locator('aside:not([aria-busy]) .facet').first().waitFor()
      const said = async () => (await page.locator('.sentence').innerText()).replace(/\s+/g, ' ')
      await expect.poll(said).toBe(sentence)
      await page.waitForLoadState('networkidle')
      // The title of the category of storms is Status.
      const isColumn = (await headings(page)).some((heading) => /Category|Status/.test(heading))
      expect([isColumn, asked.length]).toEqual([!sentence.includes('overflow'), 1])
    }),
  )

  it('rows of several series have the columns of most rows, and the series', () =>
    look(`${EVENTS}?event_series=${STORMS},${OVERFLOWS}&ordering=-timestamp_start&page_size=20`, async (page) => {
      await page.locator('.rows tbody tr').nth(19).waitFor()
      const all = await headings(page)
      expect(all).toEqual(expect.arrayContaining(['Start (UTC)', 'Value', 'Category', 'Wind', 'Series']))
      expect(all).not.toContain('Gemeente')
      await page.goto(
        `${pages.address}${EVENTS}?event_series=${STORMS},${OVERFLOWS}&fields=value,attributes__Gemeente,event_series&ordering=-timestamp_start`,
      )
      await expect.poll(() => headings(page)).toEqual(['Value', 'Gemeente', 'Series'])
    }))

  it('has the titles and units of the columns of one series, and their heads sort', () =>
    look(`${EVENTS}?event_series=${OVERFLOWS}&ordering=-attributes__Gemeente`, async (page) => {
      await page.getByRole('columnheader', { name: 'Volume (m³)' }).waitFor()
      expect(await column(page, 3)).toEqual(TOWNS.toSorted().reverse())
      await expect.poll(() => page.locator('#ordering option:checked').innerText()).toBe('Plaats, Z to A')
      const heading = page.getByRole('columnheader', { name: 'Plaats' })
      expect(await heading.getAttribute('aria-sort')).toBe('descending')
      await heading.getByRole('button').click()
      await expect.poll(() => column(page, 3)).toEqual(TOWNS.toSorted())
      expect(query(page)).toEqual({ event_series: OVERFLOWS, ordering: 'attributes__Gemeente' })
      expect(await heading.getAttribute('aria-sort')).toBe('ascending')
      await page.getByRole('link', { name: '2025-12-31' }).click()
      await page.locator('.facts > div', { hasText: /^Volume.*m³$/ }).waitFor()
      expect(await page.locator('.facts dt', { hasText: 'Plaats' }).count()).toBe(1)
    }))

  it('names its series in a chip, and marks old counts, before the names and the counts arrive', () =>
    look(`${EVENTS}?event_series=${STORMS}`, async (page) => {
      await page.locator('aside:not([aria-busy]) .facet').first().waitFor()
      for (const late of ['**/summary/**', '**/api/v3/eventseries/?*']) await page.route(late, () => {})
      await page.getByRole('checkbox', { name: 'hurricane' }).click()
      await page.locator('aside[aria-busy="true"]').waitFor()
      await page.reload()
      await expect.poll(() => chipsOf(page)).toContain('Series: Atlantic storms 2010-2020')
    }))

  it('the heading and the menu of the value sort numbers as numbers, and the heading has an arrow', () =>
    look(`${EVENTS}?event_series=${OVERFLOWS}`, async (page) => {
      const heading = page.getByRole('columnheader', { name: 'Volume (m³)' })
      const sorted = ['98.5', '99.4', '979.9', '3,020.5']
      await heading.getByRole('button').click()
      await expect.poll(() => column(page, 2)).toEqual(sorted)
      expect(await heading.getAttribute('aria-sort')).toBe('ascending')
      expect(await page.locator('.no-numbers').count()).toBe(0)
      await heading.getByRole('button').click()
      await expect.poll(() => column(page, 2)).toEqual(sorted.toReversed())
      expect(await heading.getAttribute('aria-sort')).toBe('descending')
      await page.getByLabel('Order by').selectOption('Volume (m³), smallest first')
      await expect.poll(() => column(page, 2)).toEqual(sorted)
      expect(await heading.getAttribute('aria-sort')).toBe('ascending')
    }))

  it('a new field of the model has a column, a chip, an editor and a fact', () =>
    look(
      '/api/v3/observationtypes/',
      async (page) => {
        const field = {
          name: 'depth',
          label: ['Sounding', 'Peiling'],
          kind: 'integer',
          group: 'what',
          lookups: ['', 'gte'],
        }
        await page.route(/\/api\/v3\/events\//, async (route) => {
          if (route.request().resourceType() !== 'document') return route.continue()
          // The service of this test has no such field, so it gets the request without it.
          const response = await route.fetch({ url: route.request().url().replace('?depth__gte=10', '') })
          const html = (await response.text())
            .replace('"fields":[', `"fields":[${JSON.stringify({ ...field, column: 1 })},`)
            .replace(/("|&quot;)category\1: ?\1/g, '$1depth$1:12,$&')
          await route.fulfill({ response, body: html })
        })
        await page.goto(`${pages.address}${EVENTS}?depth__gte=10`)
        await page.getByRole('columnheader', { name: 'Sounding' }).waitFor()
        expect(await page.locator('tbody td[data-label="Sounding"]').first().innerText()).toBe('12')
        await page.locator('.chip').getByRole('button', { name: 'Sounding at least 10' }).click()
        expect(await page.locator('form.editor .value').inputValue()).toBe('10')
        expect(await page.locator('.fields section[aria-label="What"] [data-field="depth"]').count()).toBe(1)
        await page.goto(`${pages.address}${EVENTS}1/`)
        await page.locator('.facts.panel > div').filter({ hasText: 'Sounding' }).filter({ hasText: '12' }).waitFor()
      },
      REFUSED,
    ))

  it.each([
    [`event_series=${OVERFLOWS}&ordering=-value_number`, [100, 32.4, 3.3, 3.3]],
    [`event_series=${OVERFLOWS}&ordering=timestamp_start`, []],
    [`event_series=${STORMS}&fields=value,duration&ordering=-duration&page_size=2`, [100, 65.6]],
  ])('the sorted numbers of %s have bars: %j per cent of the greatest one', (query, parts) =>
    look(`${EVENTS}?${query}`, async (page) => {
      await page.locator('.rows tbody tr').first().waitFor()
      const bars = await page
        .locator('tbody td[style]')
        .evaluateAll((cells) =>
          cells.map((cell) => Number.parseFloat((cell as HTMLElement).style.getPropertyValue('--part'))),
        )
      expect(bars.map((part) => Math.round(part * 10) / 10)).toEqual(parts)
    }),
  )

  it('a cut cell tells its whole text to a pointer, and shows it if its row has the focus', () =>
    look(
      `${EVENTS}?page_size=10&fields=timestamp_start,value,category,attributes__place,object,event_series`,
      async (page) => {
        await page.setViewportSize({ width: 900, height: 900 })
        const row = page.locator('tbody tr').first()
        const cell = row.locator('td').nth(1)
        await cell.waitFor()
        const isCut = () => cell.evaluate((each) => each.scrollWidth > each.clientWidth)
        const text = await cell.innerText()
        expect([await isCut(), await cell.getAttribute('title')]).toEqual([true, null])
        await cell.hover()
        expect(await cell.getAttribute('title')).toBe(text)
        await page.locator('.sort').last().focus()
        await page.keyboard.press('Tab')
        await expect.poll(isCut).toBe(false)
      },
    ))

  it('the headings are one stop of the keyboard, and arrows move between them', () =>
    look(`${EVENTS}?event_series=${OVERFLOWS}&ordering=-value_number`, async (page) => {
      const sorts = page.locator('th .sort')
      await sorts.first().waitFor()
      expect(await sorts.evaluateAll((all) => all.map((each) => (each as HTMLElement).tabIndex))).toEqual([
        -1, 0, -1, -1,
      ])
      await sorts.nth(1).focus()
      for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowLeft']) await page.keyboard.press(key)
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Plaats')
    }))

  it('a row is one stop of the keyboard', () =>
    look(`${EVENTS}?event_series=${OVERFLOWS}`, async (page) => {
      await page.locator('[data-label="Plaats"] a').first().waitFor()
      const stops = await page.locator('tbody a').evaluateAll((all) => all.filter((each) => each.tabIndex === 0).length)
      expect(stops).toBe(VALUES.length)
    }))

  it('the panel counts the texts of the only series by column, and a choice filters', () =>
    look(`${EVENTS}?event_series=${OVERFLOWS}`, async (page) => {
      const towns = page.getByRole('region', { name: 'Plaats', exact: true })
      await expect.poll(async () => (await towns.locator('li').allInnerTexts()).length).toBe(TOWNS.length)
      await towns.getByRole('checkbox', { name: 'Houten' }).click()
      await count(page, '1 event')
      await towns.getByRole('checkbox', { name: 'Zeist' }).click()
      await count(page, '2 events')
      expect(query(page)).toEqual({ event_series: OVERFLOWS, attributes__Gemeente__in: 'Houten,Zeist' })
      await page.getByRole('link', { name: 'Plaats is one of Houten,Zeist' }).waitFor()
      // No filter finds an object.
      expect(await page.getByRole('region', { name: 'Punten' }).count()).toBe(0)
    }))

  it('the editor of a column begins with contains, and suggests the values with their counts', () =>
    look(`${EVENTS}?event_series=${OVERFLOWS}`, async (page) => {
      await addFilter(page, 'attributes__Gemeente')
      expect(await page.locator('form.editor .lookup').inputValue()).toBe('icontains')
      const suggested = () => page.locator('form.editor datalist option').allTextContents()
      await expect
        .poll(async () => (await suggested()).toSorted())
        .toEqual(TOWNS.map((town) => `${town} (1)`).toSorted())
      await apply(page, 'houten')
      await count(page, '1 event')
      expect(await chipsOf(page)).toContain('Plaats contains houten')
    }))

  it('a click on a value filters by it', () =>
    look(`${EVENTS}?event_series=${OVERFLOWS}`, async (page) => {
      await page.locator('[data-label="Plaats"]').getByRole('link', { name: 'Houten' }).click()
      await count(page, '1 event')
      expect(query(page)).toEqual({ event_series: OVERFLOWS, attributes__Gemeente: 'Houten' })
      await page.getByRole('link', { name: 'Remove the filter Plaats: Houten' }).click()
      await count(page, '4 events')
    }))

  it('says that no value starts with a number, and offers other orders', () =>
    look(
      `${EVENTS}?event_series=${STORMS}&ordering=-value_number`,
      async (page) => {
        await page.getByText('Geen enkele waarde begint met een getal.').waitFor()
        await page.getByRole('link', { name: 'Summary, A–Z' }).click()
        await expect.poll(() => query(page)).toEqual({ event_series: STORMS, ordering: 'value' })
        await expect.poll(() => page.getByText('Geen enkele waarde begint met een getal.').count()).toBe(0)
      },
      DUTCH,
    ))

  it('reads a winter and two months as periods, and its chip says both ends', () =>
    look(
      EVENTS,
      async (page) => {
        await addFilter(page, 'timestamp_start')
        await page.locator('form.editor .value').fill('dec 2025 - feb 2026')
        await page.getByText('Begin: 2025-12-01 – 2026-02-28 UTC').waitFor()
        await apply(page, 'dec 2025 - feb 2026')
        await count(page, '4 gebeurtenissen')
        await page.getByRole('link', { name: 'Begin: 2025-12-01 – 2026-02-28' }).waitFor()
        await page.goto(`${pages.address}${EVENTS}`)
        await addFilter(page, 'datetime')
        await apply(page, 'winter 2025')
        await page.getByRole('link', { name: 'In een periode: 2025-12-01 – 2026-02-28' }).waitFor()
        expect(query(page)).toEqual({ datetime: '2025-12-01/2026-02-28' })
        await page.locator('.chip button').click()
        expect(await page.locator('form.editor .value').inputValue()).toBe('2025-12-01 – 2026-02-28')
      },
      DUTCH,
    ))

  it.each([
    [STORMS, ['2010-06-25 18:00', '2010-07-08 00:00']],
    [OVERFLOWS, ['2025-12-30', '2025-12-31', '2026-01-01', '2026-01-02']],
    [`${STORMS},${OVERFLOWS}&timestamp_start__gte=2020-11-01`, ['2020-11-13 12:00', '2026-01-02']],
  ])('shows the starts of %s as days if all events of the series start at midnight', (series, starts) =>
    look(`${EVENTS}?event_series=${series}&ordering=timestamp_start`, async (page) => {
      const cells = page.locator('tbody td[data-label="Start (UTC)"]')
      await cells.first().waitFor()
      expect(await cells.allInnerTexts()).toEqual(expect.arrayContaining(starts))
      expect(await cells.locator('time').first().getAttribute('title')).toMatch(/ \d\d:\d\d:\d\d UTC$/)
    }),
  )

  it('every column of a list is in view, on wide and narrow screens', () =>
    look(`${EVENTS}?event_series=${STORMS}`, async (page) => {
      for (const width of [1920, 1440, 1280, 768]) {
        await page.setViewportSize({ width, height: 900 })
        const row = page.locator('tbody tr').first()
        await row.getByText('storm 342').waitFor()
        const right = await page.locator('.table').evaluate((table) => table.getBoundingClientRect().right)
        for (const cell of await row.locator('td:visible').all()) {
          const { x = 0, width: wide = 0 } = (await cell.boundingBox()) ?? {}
          expect(wide, `at ${width} pixels`).toBeGreaterThan(0)
          expect(x + wide, `at ${width} pixels`).toBeLessThanOrEqual(right)
        }
      }
    }))

  it.each([
    ['with the map', '', 13],
    ['without the map', '#pictures=off', 22],
  ])('a screen of 1440 by 900 pixels has at least this many rows %s', (_, view, most) =>
    look(
      `${EVENTS}?event_series=${STORMS}&page_size=50${view}`,
      async (page) => {
        const rows = page.locator('tbody tr')
        await rows.nth(49).waitFor()
        await page.locator('.chips a').first().waitFor()
        const seen = () =>
          rows.evaluateAll((all) => all.filter((row) => row.getBoundingClientRect().bottom <= innerHeight).length)
        await expect.poll(seen).toBeGreaterThanOrEqual(most)
        expect((await rows.first().boundingBox())?.height).toBeGreaterThanOrEqual(32)
        await page.getByRole('button', { name: view === '' ? 'Hide map' : 'Show map' }).click()
        await expect.poll(() => page.locator('.map').count()).toBe(view === '' ? 0 : 1)
      },
      { viewport: { width: 1440, height: 900 } },
    ),
  )

  it('a phone shows a row in two lines, and all of it after a tap', () =>
    look(
      `${EVENTS}?event_series=${STORMS}`,
      async (page) => {
        const row = page.locator('tbody tr').first()
        await row.waitFor()
        const cut = () => row.evaluate((each) => each.scrollWidth - each.clientWidth)
        expect([(await row.boundingBox())?.height, await cut()]).toEqual([expect.closeTo(60, -1), expect.any(Number)])
        expect(await cut()).toBeGreaterThan(0)
        const box = await row.boundingBox()
        await page.touchscreen.tap((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) - 8)
        await expect.poll(cut).toBe(0)
      },
      { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    ))

  it('the address or a menu chooses the columns, and the address keeps them', () =>
    look(`${EVENTS}?event_series=${STORMS}`, async (page) => {
      await page.getByRole('button', { name: /^Columns \d+\/\d+$/ }).click()
      const usual = await headings(page)
      await page.getByRole('checkbox', { name: 'Duration' }).click()
      await expect.poll(() => headings(page)).toEqual([...usual, 'Duration'])
      await page.getByRole('checkbox', { name: 'Start' }).click()
      await expect.poll(() => headings(page)).not.toContain('Start (UTC)')
      const chosen = await headings(page)
      await page.getByRole('button', { name: 'Move Duration forward' }).click()
      await expect.poll(() => headings(page)).toEqual([...chosen.slice(0, -2), 'Duration', chosen.at(-2)])
      const kept = await headings(page)
      await page.reload()
      await expect.poll(() => headings(page)).toEqual(kept)
      // The names of columns are no names of a file.
      expect(await page.locator('#downloads a').first().getAttribute('href')).not.toContain('fields')
      await page.goto(`${pages.address}${EVENTS}?event_series=${STORMS}&fields=id,object`)
      await expect.poll(() => headings(page)).toEqual(['Id', 'Object'])
      await page.locator('tbody tr').first().getByRole('link', { name: /^\d+$/ }).waitFor()
      await page.getByRole('button', { name: /^Columns/ }).click()
      await page.getByRole('button', { name: 'Usual columns' }).click()
      await expect.poll(() => headings(page)).toEqual(usual)
    }))

  it('parameters that other programs add have no chip', () =>
    look(`${EVENTS}?category=hurricane&utm_source=mail&_=15`, async (page) => {
      await page.getByRole('link', { name: 'Category: hurricane' }).waitFor()
      expect(await chipsOf(page)).toEqual(['Category: hurricane'])
    }))

  it('a chip says a range relative to now in words', () =>
    look(`${EVENTS}?timestamp_start__range=now-7d,now%2B2w`, async (page) => {
      await page.getByRole('link', { name: 'Start: 7 days ago – in 2 weeks' }).waitFor()
    }))

  it('parameters that select no events are no filters', () =>
    look('/api/v3/', async (page) => {
      for (const path of [
        `${EVENTS}?fields=id&consistent=true`,
        '/ogc/collections/events/items?limit=5&offset=10&f=html&sortby=-timestamp_start',
      ]) {
        await page.goto(`${pages.address}${path}`)
        await count(page, '15,309 events')
        await page.locator('.rows tbody tr').first().waitFor()
        await page.waitForLoadState('networkidle')
        expect([path, await page.locator('.chips').count()]).toEqual([path, 0])
      }
    }))

  it('a Dutch page says the faults of filters in Dutch', () =>
    look(
      `${EVENTS}?geom_within=Utrecht&radius=x&bbox=1&value__gt=x&id=x&datetime=x&timestamp_start=x&duration=x&categorie=x&foo=1`,
      async (page) => {
        const faults = page.locator('.notice li')
        await faults.nth(9).waitFor()
        const told = await faults.allInnerTexts()
        for (const text of told) expect(text).not.toMatch(/Enter|Unknown|expected/)
        expect(told.join(' ')).toContain('Bedoelt u category?')
      },
      { ...DUTCH, ...REFUSED },
    ))

  it.each([
    [{}, [['Spreadsheet', null, null]]],
    [
      { timezoneId: 'Europe/Amsterdam' },
      [
        ['CSV', null, 'Europe/Amsterdam'],
        ['Spreadsheet', null, 'Europe/Amsterdam'],
      ],
    ],
    [
      DUTCH,
      [
        ['Spreadsheet', 'nl', null],
        ['CSV', null, null],
      ],
    ],
  ] as const)('with %j, the files %j have this locale and zone, and the name of the series', (options, files) =>
    look(
      `${EVENTS}?event_series=${OVERFLOWS}`,
      async (page) => {
        for (const [name, locale, timezone] of files) {
          if ((await page.locator('#downloads:popover-open').count()) === 0)
            await page.getByText('Download', { exact: true }).click()
          const link = page.locator('#downloads').getByRole('link', { name, exact: true })
          const { searchParams } = new URL((await link.getAttribute('href')) ?? '', page.url())
          expect([searchParams.get('locale'), searchParams.get('timezone')]).toEqual([locale, timezone])
          const [file] = await Promise.all([page.waitForEvent('download'), link.click()])
          expect(file.suggestedFilename()).toBe('events_Riooloverstorten.csv')
        }
      },
      options,
    ),
  )

  it('the home page counts all series, and leads to lists of 50 rows and to a search', () =>
    look('/', async (page) => {
      await page.getByText(/^15,309 events in 1,012 event series, /).waitFor()
      await page.getByRole('link', { name: 'All 1,012 event series' }).waitFor()
      // Beyond twelve cards, a search finds the others.
      expect(await page.locator('.card').count()).toBe(12)
      await page.getByRole('searchbox', { name: 'Search event series' }).fill('riool')
      await expect.poll(() => page.locator('.card h3').allInnerTexts()).toEqual(['Riooloverstorten'])
      await page.getByRole('searchbox', { name: 'Search event series' }).fill('')
      // The newest event of each series is told in words.
      await page.locator('.newest').getByRole('link', { name: '98.5' }).waitFor()
      await page.getByRole('link', { name: 'Explore the events' }).click()
      await expect.poll(() => page.locator('.rows tbody tr').count()).toBe(50)
      await page.goBack()
      await page.locator('.newest a').first().waitFor()
      await page.getByRole('searchbox', { name: 'Words' }).fill('houten')
      await page.keyboard.press('Enter')
      await page.waitForURL(/\/api\/v3\/events\/.*q=houten/)
    }))

  it('a search in a facet waits for a pause of the keys', () =>
    look(`${EVENTS}?timestamp_start__lt=2004-01-01`, async (page) => {
      const search = page.getByRole('searchbox', { name: 'Search categories' })
      await search.waitFor()
      await page.waitForLoadState('networkidle')
      const asked: string[] = []
      page.on('request', (request) => {
        if (request.url().includes('category__icontains')) asked.push(request.url())
      })
      await search.pressSequentially('kind 12')
      await expect.poll(() => page.getByRole('checkbox', { name: /^kind 12/ }).count()).toBe(11)
      await page.waitForLoadState('networkidle')
      expect(asked.filter((url) => !url.includes('kind+12') && !url.includes('kind%2012'))).toEqual([])
    }))

  it.each([
    [
      `?event_series=${STORMS}`,
      'Atlantic storms 2010-2020, NOAA National Hurricane Center, HURDAT2, Public domain (US Government work), 170 events',
    ],
    ['?category=hurricane', 'SITE, 164 events'],
    // All rows of the first page belong to one series, and others do not.
    [`?event_series=${STORMS},83332016&page_size=5`, 'SITE, 720 events'],
  ])('the citation of %s is %s', (query, citation) =>
    look(`${EVENTS}${query}`, async (page) => {
      await page.getByText('Download', { exact: true }).click()
      const cited = citation.replace('SITE', new URL(pages.address).host)
      await page.locator('#downloads').getByText(`Cite as: ${cited}, http`).waitFor()
    }),
  )

  it('a failed part asks again once by itself, and then has a button to try again', () =>
    look(
      '/api/v3/observationtypes/',
      async (page) => {
        let [asked, fails] = [0, Number.POSITIVE_INFINITY]
        await page.route('**/summary/**', (route) => {
          asked += 1
          return asked > fails ? route.continue() : route.fulfill({ status: 503, json: { detail: 'Busy.' } })
        })
        await page.goto(`${pages.address}${EVENTS}`)
        const failed = page.getByText('This could not be loaded.')
        await failed.nth(1).waitFor()
        expect(asked).toBe(2)
        fails = 2
        await page.locator('.timeline').getByRole('button', { name: 'Try again' }).click()
        await page.locator('.timeline svg').waitFor()
        expect([asked > 2, await failed.count()]).toEqual([true, 0])
        // The page asks again by itself.
        ;[asked, fails] = [0, 1]
        await page.reload()
        await page.locator('.timeline svg').waitFor()
        expect([asked > 1, await failed.count()]).toEqual([true, 0])
      },
      REFUSED,
    ))
})
