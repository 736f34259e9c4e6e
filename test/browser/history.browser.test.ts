import { expect, it } from 'vitest'
import { KEY } from './browser.ts'
import { count, describePages, EVENTS, legend } from './pages.ts'

describePages('the history of the browser', {}, (pages) => {
  const { look } = pages

  it('Back leads to the place in the list that the reader left, and to the link that they followed', () =>
    look(`${EVENTS}?category=hurricane&page_size=100`, async (page) => {
      await count(page, '164 events')
      const link = page.locator('tbody tr').nth(60).locator('a').first()
      const href = await link.getAttribute('href')
      await link.scrollIntoViewIfNeeded()
      const top = await page.evaluate(() => scrollY)
      expect(top).toBeGreaterThan(500)
      await link.click()
      await page.getByRole('link', { name: 'Back to the 164 events' }).waitFor()
      await expect.poll(() => page.evaluate(() => scrollY)).toBe(0)
      await page.goBack()
      await count(page, '164 events')
      await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('href'))).toBe(href)
      expect(Math.abs((await page.evaluate(() => scrollY)) - top)).toBeLessThan(5)
      // A key changes nothing of that.
      await page.evaluate(() => scrollTo(0, 0))
      await page.getByRole('button', { name: 'Enter a key' }).click()
      await page.getByLabel('Your key').fill(KEY)
      await page.getByRole('button', { name: 'Use key' }).click()
      await page.getByRole('button', { name: 'Key in use' }).waitFor()
      await page.locator('main:not([aria-busy]) .count').waitFor()
      expect(await page.evaluate(() => scrollY)).toBe(0)
    }))

  it('a changed fragment asks for nothing', () =>
    look(`${EVENTS}?category=hurricane`, async (page) => {
      await count(page, '164 events')
      await page.locator('.plot svg').waitFor()
      await page.getByRole('region', { name: 'Categories' }).getByRole('checkbox').nth(1).waitFor()
      await page.waitForLoadState('networkidle')
      const asked: string[] = []
      page.on('request', (request) => {
        if (!request.url().includes('/assets/')) asked.push(request.url())
      })
      await page.evaluate(() => {
        location.hash = '#map=4.00/52.0000/5.0000'
      })
      await page.waitForURL(/#map=4/)
      await page.waitForLoadState('networkidle')
      expect(asked).toEqual([])
    }))

  it('the address has the view, which another filter keeps and a link copies', () =>
    look(
      `${EVENTS}?category=hurricane#stack=category&scale=root`,
      async (page) => {
        const stack = page.getByLabel('Stack by')
        await expect.poll(() => stack.inputValue()).toBe('category')
        expect(await page.getByLabel('Scale').inputValue()).toBe('root')
        await stack.selectOption('event_series')
        await page.waitForURL(/#stack=event_series&scale=root$/)
        await page.getByRole('searchbox').first().fill('alex')
        await page.keyboard.press('Enter')
        await page.waitForURL(/q=alex#stack=event_series&scale=root$/)
        await page.getByRole('button', { name: 'Copy link' }).click()
        await page.getByRole('button', { name: 'Copied' }).waitFor()
        const copied = await page.evaluate(() => navigator.clipboard.readText())
        expect(copied).toBe(`${page.url()}&zone=utc`)
        await page.goBack()
        await count(page, '164 events')
        expect(await stack.inputValue()).toBe('event_series')
      },
      { permissions: ['clipboard-read', 'clipboard-write'] },
    ))

  it('the zone in the address wins over that of the last visit', () =>
    look(
      `${EVENTS}#zone=utc`,
      async (page) => {
        await page.evaluate(() => localStorage.setItem('zone', 'local'))
        await page.reload()
        await page.getByRole('button', { name: 'UTC', exact: true }).click()
        await page.waitForURL(/#zone=local$/)
        await page.getByRole('button', { name: 'Local time', exact: true }).waitFor()
      },
      { timezoneId: 'Europe/Amsterdam' },
    ))

  it.each([
    ['now-40w', true],
    ['2010-01-01', false],
  ])('a list from %s renews itself each minute: %s', (start, isRenewed) =>
    look(
      `${EVENTS}?category=hurricane`,
      async (page) => {
        let asked = 0
        await page.clock.install()
        await page.route(`**${EVENTS}?*`, async (route) => {
          const url = route.request().url()
          const response = await route.fetch({ url: url.replace(/timestamp_start__gte=[^&]*&?/, '') })
          asked += 1
          await route.fulfill({ response, body: (await response.text()).replaceAll('Alex', `Alex${asked}`) })
        })
        await page.goto(`${pages.address}${EVENTS}?timestamp_start__gte=${start}&category=hurricane`)
        await page.locator('tbody').getByText('Alex1').first().waitFor()
        await page.clock.runFor(61_000)
        if (isRenewed) await page.locator('tbody').getByText('Alex2').first().waitFor()
        else expect(asked).toBe(1)
      },
      { fresh: true },
    ),
  )

  it('Back after a click that has no answer yet stays on the page', () =>
    look('/api/v3/', async (page) => {
      await page
        .locator('main')
        .getByRole('link', { name: /v3\/events\/$/ })
        .click()
      await count(page, '15,175 events')
      await page.evaluate(() => {
        location.hash = '#map=4.00/52.0000/5.0000'
      })
      await page.route(/ordering=/, () => {})
      await page.locator('th .sort').first().click()
      await page.locator('main[aria-busy="true"]').waitFor()
      await page.goBack()
      await page.locator('main:not([aria-busy])').waitFor()
      await count(page, '15,175 events')
    }))

  it('the map of an event is the map of its list, which Back shows again', () =>
    look(
      `${EVENTS}?category=hurricane`,
      async (page) => {
        const canvas = page.locator('.map canvas')
        await canvas.waitFor()
        await canvas.evaluate((element) => element.setAttribute('data-first', ''))
        const isFirst = () => canvas.evaluate((element) => element.hasAttribute('data-first'))
        await page.locator('tbody a').first().click()
        await page.locator('.item .map canvas').waitFor()
        expect(await isFirst()).toBe(true)
        await page.goBack()
        await page.locator('.list-page .map canvas').waitFor()
        expect(await isFirst()).toBe(true)
        await expect.poll(() => legend(page)).toMatch(/dot|storm/)
      },
      { webgl: true },
    ))
})
