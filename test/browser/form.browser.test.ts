import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Looks, makeStage, type Stage } from './browser.ts'
import { CHROMIUM } from './chromium.ts'

const EVENTS = '/api/v3/events/'
const PATIENCE = { timeout: 20_000 }

const QUAKES = [4.5, 3].map((mag, i) => ({
  ...{ kind: 'event', id: 90_001 + i, series: 5, category: 'quake', value: `M ${mag}` },
  ...{ start: Date.UTC(2019, 8, 9), end: Date.UTC(2019, 8, 9, 1, 30 * i) },
  ...{ coordinates: [-40, 30], object: null, attributes: { mag } },
}))

describe.skipIf(CHROMIUM === undefined)('the filter form in a browser (skipped without Chromium)', () => {
  let stage: Stage

  beforeAll(async () => {
    stage = await makeStage(inject('worker'), QUAKES)
  })
  afterAll(() => stage?.close())

  const look = async (path: string, act: (page: Page) => Promise<void>, options: Looks = {}) => {
    const { page, faults, close } = await stage.open(path, { ...options, webgl: false })
    try {
      await act(page)
      // The browser logs every 400.
      expect(faults.filter((fault) => !fault.includes('status of 400'))).toEqual([])
    } finally {
      await close()
    }
  }
  const count = (page: Page, text: string) => page.getByRole('heading', { name: text, exact: true }).waitFor()
  const query = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)
  const input = (page: Page, name: string) => page.locator(`form.filters [name="${name}"]`)
  const field = (page: Page, name: string) => page.locator(`form.filters [data-field="${name}"]`)
  const unfold = (page: Page, title: string) => page.locator('form.filters summary', { hasText: title }).click()
  /** Writes a value and applies it with Enter. */
  const apply = async (page: Page, name: string, text: string) => {
    await input(page, name).fill(text)
    await input(page, name).press('Enter')
  }

  it('has four groups, and only the first one and those with a filter are open', () =>
    look(`${EVENTS}?category=quake&timestamp_start__gte=2019-01-01`, async (page) => {
      await count(page, '2 events')
      await page.locator('form.filters .group').first().waitFor()
      const groups = await page
        .locator('form.filters .group')
        .evaluateAll((all) =>
          all.map((each) => [each.querySelector('summary')?.textContent, each.hasAttribute('open')]),
        )
      expect(groups).toEqual([
        ['What1', true],
        ['Where', false],
        ['When1', true],
        ['More', false],
      ])
    }))

  it.each([
    ['en', 'Within an area', 'In a box', 'In a period', 'ends with'],
    ['nl', 'Binnen een gebied', 'In een rechthoek', 'In een periode', 'eindigt op'],
  ])('in %s its labels and lookups are words, and the names of parameters are tooltips', (locale, ...words) =>
    look(
      `${EVENTS}?category=quake`,
      async (page) => {
        await input(page, 'category').waitFor()
        const texts =
          (await page.locator('form.filters').innerText()) + (await page.locator('form.filters').textContent())
        for (const each of words) expect(texts).toContain(each)
        expect(texts).not.toMatch(/__|bbox|geom_within|timestamp/i)
        expect(await field(page, 'bbox').locator('.label').getAttribute('title')).toBe('bbox')
        const labels = await page
          .locator('form.filters .label')
          .evaluateAll((all) => all.map((each) => each.textContent))
        expect(new Set(labels).size).toBe(labels.length)
        expect(labels.length).toBeGreaterThan(20)
      },
      { locale },
    ),
  )

  it('the words of the search stay when a filter changes, and an unchanged value keeps its bytes', () =>
    look(`${EVENTS}?q=maria&category=%68urricane`, async (page) => {
      await input(page, 'category').waitFor()
      await unfold(page, 'When')
      await apply(page, 'timestamp_start__gte', '2017')
      await page.waitForURL(/timestamp_start__gte=2017-01-01/)
      expect(page.url()).toContain('q=maria')
      expect(page.url()).toContain('category=%68urricane')
    }))

  it('any number of attributes are conditions, and appear again from the address', () =>
    look(`${EVENTS}?category=quake&attributes__mag__gt=1`, async (page) => {
      await count(page, '2 events')
      const attributes = field(page, 'attributes')
      expect(await input(page, 'attributes__mag__gt').inputValue()).toBe('1')
      await attributes.getByRole('button', { name: 'Another condition on Attributes' }).click()
      await attributes.getByLabel('Name of the attribute').last().fill('mag')
      await attributes.locator('.lookup').last().selectOption('gte')
      await apply(page, 'attributes__mag__gte', '4.5')
      await count(page, '1 event')
      expect(query(page)).toEqual({ category: 'quake', attributes__mag__gt: '1', attributes__mag__gte: '4.5' })
      await page.reload()
      await count(page, '1 event')
      expect(await input(page, 'attributes__mag__gte').inputValue()).toBe('4.5')
      await apply(page, 'attributes__mag__gte', '')
      await count(page, '2 events')
      expect(query(page)).toEqual({ category: 'quake', attributes__mag__gt: '1' })
    }))

  it('in Dutch values and attributes have a decimal comma, but a list has points', () =>
    look(
      `${EVENTS}?category=quake&attributes__mag__in=4.5,5`,
      async (page) => {
        await count(page, '1 gebeurtenis')
        expect(await input(page, 'attributes__mag__in').inputValue()).toBe('4.5,5')
        await field(page, 'attributes').locator('.lookup').selectOption('lt')
        await apply(page, 'attributes__mag__lt', '4,5')
        await page.waitForURL(/attributes__mag__lt=4\.5/)
        await page.reload()
        await count(page, '1 gebeurtenis')
        expect(await input(page, 'attributes__mag__lt').inputValue()).toBe('4,5')
        await page.getByText('mag minder dan 4,5').waitFor()
        await apply(page, 'value__icontains', '3020,5')
        await page.waitForURL(/value__icontains=3020\.5/)
        expect(query(page)).toEqual({ category: 'quake', attributes__mag__lt: '4.5', value__icontains: '3020.5' })
      },
      { locale: 'nl' },
    ))

  it.each([
    ['en', 'last 7 days', 'now-7d', '7 days ago', 'Start from 7 days ago'],
    ['nl', 'afgelopen 7 dagen', 'now-7d', '7 dagen geleden', 'Begin vanaf 7 dagen geleden'],
    ['nl', '5 februari 2018', '2018-02-05', '2018-02-05', 'Begin vanaf 2018-02-05'],
  ])('in %s a period begins at %s', (locale, text, value, shown, chip) =>
    look(
      EVENTS,
      async (page) => {
        await unfold(page, locale === 'nl' ? 'Wanneer' : 'When')
        await apply(page, 'timestamp_start__gte', text)
        await page.waitForURL(/timestamp_start/)
        expect(query(page)).toEqual({ timestamp_start__gte: value })
        await expect.poll(() => input(page, 'timestamp_start__gte').inputValue(), PATIENCE).toBe(shown)
        expect(await input(page, 'timestamp_start__lte').inputValue()).toBe('')
        expect(await page.locator('.chip .words').innerText()).toBe(chip)
      },
      { locale },
    ),
  )

  it('the calendar of the browser fills in a day, and the last day counts as a whole', () =>
    look(`${EVENTS}?category=quake`, async (page) => {
      await unfold(page, 'When')
      const start = field(page, 'timestamp_start')
      await start.getByRole('button', { name: 'Choose a day for Start until' }).click()
      await start.locator('[type="date"]').last().fill('2019-09-09')
      await page.waitForURL(/timestamp_start/)
      expect(query(page)).toEqual({ category: 'quake', timestamp_start__lte: '2019-09-09T23:59:59.999999Z' })
      await expect.poll(() => input(page, 'timestamp_start__lte').inputValue(), PATIENCE).toBe('2019-09-09')
    }))

  it('times are in the zone of the page', () =>
    look(
      EVENTS,
      async (page) => {
        await page.evaluate(() => localStorage.setItem('zone', 'local'))
        await page.reload()
        await unfold(page, 'When')
        await apply(page, 'timestamp_start__gte', '2018-02-05 14:30')
        await page.waitForURL(/timestamp_start/)
        expect(query(page)).toEqual({ timestamp_start__gte: '2018-02-05T13:30:00Z' })
        await expect.poll(() => input(page, 'timestamp_start__gte').inputValue(), PATIENCE).toBe('2018-02-05 14:30:00')
      },
      { timezoneId: 'Europe/Amsterdam' },
    ))

  it.each([
    ['1,5 uur', 'PT1H30M', '1 h 30 min'],
    ['90 min', 'PT1H30M', '1 h 30 min'],
    ['2 dagen', 'P2D', '2 d'],
  ])('a duration of %s is %s', (text, value, shown) =>
    look(`${EVENTS}?category=quake`, async (page) => {
      await unfold(page, 'When')
      await apply(page, 'duration__gte', text)
      await page.waitForURL(/duration/)
      expect(query(page)).toEqual({ category: 'quake', duration__gte: value })
      await expect.poll(() => input(page, 'duration__gte').inputValue(), PATIENCE).toBe(shown)
    }),
  )

  it('a fault opens its group, describes its field, and the first one gets the focus', () =>
    look(`${EVENTS}?object_id=x&duration__gte=long`, async (page) => {
      const [duration, number] = [input(page, 'duration__gte'), input(page, 'object_id')]
      await expect.poll(() => duration.evaluate((each) => each === document.activeElement), PATIENCE).toBe(true)
      expect(await number.isVisible()).toBe(true)
      for (const [at, message] of [
        [duration, 'Enter a length of time, such as'],
        [number, 'Enter a whole number'],
      ] as const) {
        expect(await at.getAttribute('aria-invalid')).toBe('true')
        const id = await at.getAttribute('aria-describedby')
        expect(await page.locator(`[id="${id}"]`).innerText()).toContain(message)
      }
    }))

  it('a refused value is told in the language of the page', () =>
    look(
      `${EVENTS}?category=quake`,
      async (page) => {
        await unfold(page, 'Meer')
        await apply(page, 'object_id', 'x')
        await field(page, 'object_id').getByText('Vul een heel getal in, zoals 986.').waitFor()
        expect(query(page)).toEqual({ category: 'quake' })
      },
      { locale: 'nl' },
    ))

  it('on a phone, a fault shows the filters again, with the focus on its field', () =>
    look(
      `${EVENTS}?category=quake`,
      async (page) => {
        const pane = (name: string) => page.getByRole('button', { name })
        await pane('Filters').click()
        await unfold(page, 'When')
        const duration = input(page, 'duration__gte')
        await duration.pressSequentially('long')
        // The field is applied when the reader leaves it.
        await pane('List').click()
        await page.getByText('Enter a length of time, such as').waitFor()
        await expect.poll(() => duration.evaluate((each) => each === document.activeElement), PATIENCE).toBe(true)
        await pane('List').click()
        await page.locator('table').waitFor()
      },
      { viewport: { width: 390, height: 844 } },
    ))

  it('leaving a changed field applies it once, and a lookup without a value sends nothing', () =>
    look(EVENTS, async (page) => {
      const asked: string[] = []
      page.on('request', (request) => {
        const { pathname, search } = new URL(request.url())
        // The attributes of the rows are asked by id.
        if (pathname === EVENTS && !search.includes('id__in')) asked.push(search)
      })
      await field(page, 'category').locator('.lookup').selectOption('')
      await input(page, 'category').fill('quake')
      await input(page, 'value__icontains').focus()
      await count(page, '2 events')
      await input(page, 'category').focus()
      await input(page, 'category').press('Enter')
      await input(page, 'value__icontains').focus()
      await page.waitForLoadState('networkidle')
      expect(new Set(asked)).toEqual(new Set(['?category=quake']))
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
        await expect.poll(() => series.getByRole('checkbox').first().isVisible(), PATIENCE).toBe(false)
      }))
  })
})
