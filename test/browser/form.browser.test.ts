import type { Locator, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { addFilter, apply, chipsOf, inputOf, type Looks } from './browser.ts'
import { count, describePages, EVENTS, query } from './pages.ts'

const QUAKES = [4.5, 3].map((mag, i) => ({
  ...{ kind: 'event', id: 90_001 + i, series: 5, category: 'quake', value: `M ${mag}` },
  ...{ start: Date.UTC(2019, 8, 9), end: Date.UTC(2019, 8, 9, 1, 30 * i) },
  ...{ coordinates: [-40, 30], object: null, attributes: { mag } },
}))

describePages('the filters in a browser', { records: QUAKES }, (pages) => {
  /** Opens a page. The browser logs every 400. */
  const look = (path: string, act: (page: Page) => Promise<void>, options: Looks = {}) =>
    pages.look(path, act, { errors: /status of 400/, ...options })
  const edit = (page: Page, words: string) => page.locator('.chip').getByRole('button', { name: words }).click()
  const hasFocus = (value: Locator) => value.evaluate((each) => each === document.activeElement)

  it('has four groups, after the columns of the only series, and no field without a filter is on the page', () =>
    look(`${EVENTS}?timestamp_start__gte=2019-01-01`, async (page) => {
      const headings = page.locator('.fields h3')
      const groups = ['What', 'Where', 'When', 'More']
      await page.locator('.add').click()
      expect(await headings.allInnerTexts()).toEqual(groups)
      await page.goto(`${pages.address}${EVENTS}?category=quake&timestamp_start__gte=2019-01-01`)
      await count(page, '2 events')
      await page.locator('.add').click()
      await expect.poll(() => headings.first().innerText()).toBe('Columns')
      expect(await page.locator('.fields section').first().locator('button').allInnerTexts()).toEqual(
        expect.arrayContaining(['Summary', 'Status', 'Start', 'Mag']),
      )
      await page.locator('.fields details > summary').click()
      expect(await headings.allInnerTexts()).toEqual(['Columns', ...groups])
      expect(await chipsOf(page)).toEqual(['Status: quake', 'Start from 2019-01-01'])
      expect(await page.locator('form.editor').count()).toBe(0)
      await page.keyboard.press('Escape')
      await expect.poll(() => page.locator('.fields').isVisible()).toBe(false)
    }))

  it.each([
    ['en', 'Within an area', 'In a box', 'In a period', 'ends with'],
    ['nl', 'Binnen een gebied', 'In een rechthoek', 'In een periode', 'eindigt op'],
  ])('in %s its labels and lookups are words, and the names of parameters are tooltips', (locale, ...words) =>
    look(
      `${EVENTS}?category=quake`,
      async (page) => {
        await page.locator('.add').click()
        const labels = await page.locator('.fields button').allTextContents()
        expect(await page.locator('.fields [data-field="bbox"]').getAttribute('title')).toBe('bbox')
        await page.locator('.fields [data-field="category"]').click()
        const lookups = await page.locator('form.editor .lookup option').allTextContents()
        for (const each of words) expect([...labels, ...lookups]).toContain(each)
        expect([...labels, ...lookups].join()).not.toMatch(/__|bbox|geom_within|timestamp/i)
        expect(new Set(labels).size).toBe(labels.length)
        expect(labels.length).toBeGreaterThan(20)
      },
      { locale },
    ),
  )

  it('the words of the search and the other filters stay when a filter changes', () =>
    look(`${EVENTS}?q=maria&category=hurricane`, async (page) => {
      await addFilter(page, 'timestamp_start', 'gte')
      await apply(page, '2017')
      await page.waitForURL(/timestamp_start__gte=2017-01-01/)
      expect(page.url()).toContain('q=maria')
      expect(page.url()).toContain('category=hurricane')
    }))

  it('any number of attributes are conditions, and appear again from the address', () =>
    look(`${EVENTS}?category=quake&attributes__mag__gt=1`, async (page) => {
      await count(page, '2 events')
      await addFilter(page, 'attributes', 'gte')
      await page.getByLabel('Name of the attribute').fill('mag')
      await apply(page, '4.5')
      await count(page, '1 event')
      expect(query(page)).toEqual({ category: 'quake', attributes__mag__gt: '1', attributes__mag__gte: '4.5' })
      await page.reload()
      await count(page, '1 event')
      await edit(page, 'mag at least 4.5')
      expect(await inputOf(page, 'attributes__mag__gte').inputValue()).toBe('4.5')
      await apply(page, '')
      await count(page, '2 events')
      expect(query(page)).toEqual({ category: 'quake', attributes__mag__gt: '1' })
    }))

  it('the words that the page shows for an attribute are its name in the filter', () =>
    look(`${EVENTS}?category=quake`, async (page) => {
      await addFilter(page, 'attributes', '')
      const name = page.getByLabel('Name of the attribute')
      await name.pressSequentially('Mag')
      await expect.poll(() => name.inputValue()).toBe('mag')
      expect(
        await page
          .locator('#attribute-names option')
          .evaluateAll((all) => all.map((each) => each.getAttribute('value'))),
      ).toContain('mag')
    }))

  it('in Dutch values and attributes have a decimal comma, also in a list', () =>
    look(
      `${EVENTS}?category=quake&attributes__mag__in=4.5,5`,
      async (page) => {
        await count(page, '1 gebeurtenis')
        await edit(page, 'mag is één van 4,5; 5')
        expect(await inputOf(page, 'attributes__mag__in').inputValue()).toBe('4,5; 5')
        await page.locator('form.editor .lookup').selectOption('lt')
        await apply(page, '4,5')
        await page.waitForURL(/attributes__mag__lt=4\.5/)
        await page.reload()
        await count(page, '1 gebeurtenis')
        await edit(page, 'mag minder dan 4,5')
        expect(await inputOf(page, 'attributes__mag__lt').inputValue()).toBe('4,5')
        await addFilter(page, 'value')
        await apply(page, '3020,5')
        // A part of a text is no number.
        await page.waitForURL(/value__icontains=3020,5/)
        expect(query(page)).toEqual({ category: 'quake', attributes__mag__lt: '4.5', value__icontains: '3020,5' })
      },
      { locale: 'nl' },
    ))

  it('in Dutch 1.000 is a thousand, and the editor says how it reads a number', () =>
    look(
      `${EVENTS}?category=quake&attributes__mag__gte=1.000`,
      async (page) => {
        await count(page, '2 gebeurtenissen')
        await edit(page, 'mag minstens 1,000')
        await page.keyboard.press('Enter')
        await page.locator('form.editor').waitFor({ state: 'detached' })
        expect(query(page)).toEqual({ category: 'quake', attributes__mag__gte: '1.000' })
        await edit(page, 'mag minstens 1,000')
        await page.locator('form.editor .value').fill('1.000')
        await page.locator('form.editor .understood', { hasText: 'mag minstens 1000' }).waitFor()
        await apply(page, '1.000')
        await count(page, '0 gebeurtenissen')
        expect(query(page)).toEqual({ category: 'quake', attributes__mag__gte: '1000' })
        await expect.poll(() => chipsOf(page)).toContain('mag minstens 1000')
        // The service refuses such an address, and the editor reads its text.
        await page.goto(`${pages.address}${EVENTS}?category=quake&attributes__mag__gte=3,5`)
        await inputOf(page, 'attributes__mag__gte').press('Enter')
        await count(page, '1 gebeurtenis')
        expect(query(page)).toEqual({ category: 'quake', attributes__mag__gte: '3.5' })
      },
      { locale: 'nl' },
    ))

  it('a list whose commas are not clear is refused, and both readings are offered', () =>
    look(`${EVENTS}?category=quake`, async (page) => {
      await addFilter(page, 'object_id', 'in')
      await apply(page, '986,101')
      await page.locator('form.editor').getByText('Enter 986101, or 986; 101.').waitFor()
      expect(query(page)).toEqual({ category: 'quake' })
      await apply(page, '986; 101')
      await page.waitForURL(/object_id__in/)
      expect(query(page)).toEqual({ category: 'quake', object_id__in: '986,101' })
    }))

  it.each([
    ['en', 'last 7 days', 'now-7d', '7 days ago', 'Start from 7 days ago'],
    ['nl', 'afgelopen 7 dagen', 'now-7d', '7 dagen geleden', 'Begin vanaf 7 dagen geleden'],
    ['nl', '5 februari 2018', '2018-02-05', '2018-02-05', 'Begin vanaf 2018-02-05'],
  ])('in %s a period begins at %s', (locale, text, value, shown, chip) =>
    look(
      EVENTS,
      async (page) => {
        await addFilter(page, 'timestamp_start', 'gte')
        await page.locator('form.editor .value').fill(text)
        await page.locator('form.editor .understood', { hasText: chip }).waitFor()
        await apply(page, text)
        await page.waitForURL(/timestamp_start/)
        expect(query(page)).toEqual({ timestamp_start__gte: value })
        await expect.poll(() => chipsOf(page)).toEqual([chip])
        await edit(page, chip)
        expect(await inputOf(page, 'timestamp_start__gte').inputValue()).toBe(shown)
      },
      { locale },
    ),
  )

  it('the calendar of the browser fills in a day, and the last day counts as a whole', () =>
    look(`${EVENTS}?category=quake`, async (page) => {
      await addFilter(page, 'timestamp_start', 'lte')
      await page.getByRole('button', { name: 'Choose a day for Start until' }).click()
      await page.locator('form.editor [type="date"]').fill('2019-09-09')
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.waitForURL(/timestamp_start/)
      expect(query(page)).toEqual({ category: 'quake', timestamp_start__lte: '2019-09-09T23:59:59.999999Z' })
      await expect.poll(() => chipsOf(page)).toContain('Start until 2019-09-09')
    }))

  it('times are in the zone of the page', () =>
    look(
      EVENTS,
      async (page) => {
        await addFilter(page, 'timestamp_start', 'gte')
        await apply(page, '2018-02-05 14:30')
        await page.waitForURL(/timestamp_start/)
        expect(query(page)).toEqual({ timestamp_start__gte: '2018-02-05T13:30:00Z' })
        await expect.poll(() => chipsOf(page)).toEqual(['Start from 2018-02-05 14:30:00'])
      },
      { timezoneId: 'Europe/Amsterdam' },
    ))

  it('a date is the day that it is, and the reader changes the zone of the whole request', () =>
    look(
      `${EVENTS}?datetime=2018-02-05&timezone=America/New_York`,
      async (page) => {
        const shown = async (zone: string) => {
          await page.getByRole('button', { name: zone, exact: true }).waitFor()
          await expect.poll(() => chipsOf(page)).toEqual(['In a period: 2018-02-05'])
          const { timezone = 'UTC' } = query(page)
          const { origin } = new URL(page.url())
          const asked = `${EVENTS}?datetime=2018-02-05&timezone=${timezone}&page_size=1&format=json`
          const response = await page.request.get(`${origin}${asked}`)
          await count(page, `${(await response.json()).count} events`)
        }
        await shown('America/New_York')
        await page.getByRole('button', { name: 'America/New_York', exact: true }).click()
        await page.waitForURL((url) => !url.search.includes('timezone'))
        await shown('UTC')
        await page.getByRole('button', { name: 'UTC', exact: true }).click()
        await page.waitForURL(/timezone=Europe\/Amsterdam/)
        await shown('Local time')
        const files = await page
          .locator('a[download]')
          .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
        expect(files.map((href) => new URLSearchParams(href).get('timezone'))).toEqual(
          files.map(() => 'Europe/Amsterdam'),
        )
      },
      { timezoneId: 'Europe/Amsterdam' },
    ))

  it('a duration is read in words', () =>
    look(`${EVENTS}?category=quake`, async (page) => {
      await addFilter(page, 'duration')
      await apply(page, '1,5 uur')
      await page.waitForURL(/duration/)
      expect(query(page)).toEqual({ category: 'quake', duration__gte: 'PT1H30M' })
      await expect.poll(() => chipsOf(page)).toContain('Duration at least 1 h 30 min')
    }))

  it('a fault opens the editor of its filter, describes its value, and the first one gets the focus', () =>
    look(`${EVENTS}?object_id=x&duration__gte=long`, async (page) => {
      for (const [name, message] of [
        ['object_id', 'Enter a whole number'],
        ['duration__gte', 'Enter a length of time, such as'],
      ] as const) {
        const value = inputOf(page, name)
        await expect.poll(() => hasFocus(value)).toBe(true)
        expect(await value.getAttribute('aria-invalid')).toBe('true')
        const id = await value.getAttribute('aria-describedby')
        expect(await page.locator(`[id="${id}"]`).innerText()).toContain(message)
        await apply(page, '')
      }
      await page.locator('form.editor').waitFor({ state: 'detached' })
    }))

  it('a refused value is asked once, and told in the language of the page', () =>
    look(
      `${EVENTS}?category=quake`,
      async (page) => {
        const asked: string[] = []
        page.on('request', (request) => asked.push(request.url()))
        await addFilter(page, 'object_id')
        await apply(page, 'x')
        await page.locator('form.editor').getByText('Vul een heel getal in, zoals 986.').waitFor()
        expect(asked.filter((url) => url.includes('object_id'))).toHaveLength(1)
        expect(query(page)).toEqual({ category: 'quake' })
      },
      { locale: 'nl' },
    ))

  it('on a phone, a fault shows its editor, with the focus on its value', () =>
    look(
      `${EVENTS}?category=quake`,
      async (page) => {
        await page.getByRole('button', { name: /^Filters/ }).click()
        await addFilter(page, 'duration')
        await page.getByRole('button', { name: 'Map' }).click()
        await apply(page, 'long')
        await page.locator('form.editor').getByText('Enter a length of time, such as').waitFor()
        await expect.poll(() => hasFocus(inputOf(page, 'duration__gte'))).toBe(true)
        await page.getByRole('button', { name: 'List' }).click()
        await page.locator('table').waitFor()
      },
      { viewport: { width: 390, height: 844 } },
    ))

  it('a filter is applied once, and one without a value sends nothing', () =>
    look(EVENTS, async (page) => {
      const asked: string[] = []
      page.on('request', (request) => {
        const { pathname, search } = new URL(request.url())
        // The attributes of the rows are asked by id.
        if (pathname === EVENTS && !search.includes('id__in')) asked.push(search)
      })
      await addFilter(page, 'category', '')
      await apply(page, 'quake')
      await count(page, '2 events')
      // The only series has a title of its own for the category.
      await edit(page, 'Status: quake')
      await inputOf(page, 'category').press('Enter')
      await page.locator('form.editor').waitFor({ state: 'detached' })
      await addFilter(page, 'value')
      await page.keyboard.press('Enter')
      await page.locator('form.editor').waitFor({ state: 'detached' })
      await page.waitForLoadState('networkidle')
      expect(asked).toEqual(['?category=quake'])
    }))

  it('a position comes with the metres around it', () =>
    look(EVENTS, async (page) => {
      await addFilter(page, 'near')
      await inputOf(page, 'radius').fill('10000')
      await apply(page, '-40,30')
      await count(page, '2 events')
      expect(query(page)).toEqual({ near: '-40,30', radius: '10000' })
      await page.getByRole('link', { name: 'Remove the filter Near a place' }).click()
      await page.waitForURL((url) => url.search === '')
    }))

  describe('facets', () => {
    const facet = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

    it('a ticked entry stays ticked and visible during a search, and its facet says how many are ticked', () =>
      look(`${EVENTS}?category=hurricane`, async (page) => {
        const categories = facet(page, 'Categories')
        await categories.getByRole('checkbox', { name: /^hurricane\s+164/, checked: true }).waitFor()
        await categories.getByRole('searchbox').fill('tropical')
        await categories.getByRole('checkbox', { name: /^tropical storm/ }).check()
        await page.waitForURL(/category__in/)
        expect(query(page)).toEqual({ category__in: 'hurricane,tropical storm' })
        expect(await categories.getByRole('checkbox', { checked: true }).count()).toBe(2)
        expect(await categories.locator('summary').innerText()).toMatch(/^Categories\s*2$/)
      }))

    it('two entries ticked before the answer are both chosen', () =>
      look(EVENTS, async (page) => {
        const objects = facet(page, 'Objects').getByRole('checkbox')
        await objects.nth(1).waitFor()
        const boxes = await objects.evaluateAll((all) => all.slice(0, 2).map((box) => 'value' in box && box.value))
        await page.evaluate(() => {
          const all = document.querySelectorAll<HTMLInputElement>('.facet[aria-label="Objects"] input[type="checkbox"]')
          for (const box of [...all].slice(0, 2)) box.click()
        })
        await page.waitForURL(/object_type__model__in/)
        expect(query(page)).toEqual({ object_type__model__in: boxes.join(',') })
      }))

    it('a row is one line, and a facet can be closed by its name', () =>
      look(EVENTS, async (page) => {
        const series = facet(page, 'Series')
        await series.getByRole('checkbox').first().waitFor()
        const heights = await series.locator('li').evaluateAll((all) => all.map((each) => each.clientHeight))
        expect(Math.max(...heights)).toBeLessThan(32)
        await series.getByRole('heading', { name: 'Series' }).click()
        await expect.poll(() => series.getByRole('checkbox').first().isVisible()).toBe(false)
      }))
  })
})
