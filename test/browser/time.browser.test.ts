import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Looks, makeStage, type Stage } from './browser.ts'
import { CHROMIUM } from './chromium.ts'

const EVENTS = '/api/v3/events/'
const HURRICANES = `${EVENTS}?category=hurricane`

describe.skipIf(CHROMIUM === undefined)('the graph over time (skipped without Chromium)', () => {
  let stage: Stage

  beforeAll(async () => {
    stage = await makeStage(inject('worker'))
  })
  afterAll(() => stage?.close())

  /** Opens a list without a map. Its graph is drawn, and the page must have no faults at the end. */
  const look = async (path: string, act: (page: Page) => Promise<void>, options: Looks = {}) => {
    const { page, faults, close } = await stage.open(path, { webgl: false, ...options })
    try {
      // A phone shows one part of the page at a time.
      if (options.isMobile) await page.getByRole('button', { name: 'Time', exact: true }).click()
      await page.locator('.u-over').waitFor()
      await act(page)
      expect(faults).toEqual([])
    } finally {
      await close()
    }
  }

  const caption = (page: Page) => page.locator('.timeline .panel-head small').innerText()
  const layers = (page: Page) => page.locator('.layers li').allInnerTexts()

  /** Returns the number of pixels of the graph in a colour. */
  const pixelsIn = (page: Page, color: readonly number[]) =>
    page.locator('.timeline canvas').evaluate((element, wanted) => {
      const canvas = element as HTMLCanvasElement
      const data = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? []
      let count = 0
      for (let i = 0; i < data.length; i += 4) if (wanted.every((part, k) => data[i + k] === part)) count++
      return count
    }, color)

  it('names the unit of its bars', () =>
    look(HURRICANES, async (page) => expect(await caption(page)).toBe('Events per 25 days')))

  it('has its height before the summary arrives', async () => {
    const { page, close } = await stage.open('/docs', { webgl: false })
    try {
      let go = () => {}
      const measured = new Promise<void>((resolve) => {
        go = resolve
      })
      await page.route('**/summary/**', async (route) => {
        await measured
        await route.continue()
      })
      await page.goto(`${stage.address}${HURRICANES}`)
      const height = async () => (await page.locator('.timeline').boundingBox())?.height
      await page.locator('.timeline').waitFor()
      const before = await height()
      go()
      await page.locator('.u-over').waitFor()
      expect(await height()).toBe(before)
    } finally {
      await close()
    }
  })

  it('stacks by category, with colours of its own and a legend', () =>
    look(HURRICANES.replace('category', 'category__in').concat(',tropical%20storm'), async (page) => {
      expect(await pixelsIn(page, [0, 114, 178])).toBe(0)
      await page.getByLabel('Stack by').selectOption('category')
      await expect.poll(() => layers(page)).toEqual(['tropical storm', 'hurricane'])
      await expect.poll(() => pixelsIn(page, [0, 114, 178])).toBeGreaterThan(100)
      expect(await pixelsIn(page, [230, 159, 0])).toBeGreaterThan(100)
    }))

  it('stacks by the six largest series, and the rest is grey', () =>
    look(EVENTS, async (page) => {
      await page.getByLabel('Stack by').selectOption('event_series')
      await expect.poll(async () => (await layers(page)).length).toBe(7)
      expect((await layers(page)).at(-1)).toBe('Others')
      await expect.poll(() => pixelsIn(page, [135, 146, 155])).toBeGreaterThan(20)
      await page.getByLabel('Stack by').selectOption('nothing')
      await expect.poll(() => layers(page)).toEqual([])
    }))

  it('uneven events get a square-root scale, and the user can choose another', () =>
    look(EVENTS, async (page) => {
      expect(await caption(page)).toBe('Events per 13 months')
      expect(await page.getByLabel('Scale').inputValue()).toBe('root')
      await page.getByLabel('Scale').selectOption('linear')
      expect(await page.getByLabel('Scale').inputValue()).toBe('linear')
    }))

  it('a finger brushes a period', () =>
    look(
      HURRICANES,
      async (page) => {
        const over = page.locator('.u-over')
        await over.scrollIntoViewIfNeeded()
        const box = await over.boundingBox()
        if (box === null) throw new Error('no graph')
        const touch = await page.context().newCDPSession(page)
        const at = (part: number) => [{ x: box.x + box.width * part, y: box.y + 30 }]
        await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: at(0.3) })
        for (let i = 1; i <= 5; i++)
          await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: at(0.3 + 0.06 * i) })
        await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
        await page.waitForURL(/timestamp_start__gte=.*timestamp_start__lt=/)
      },
      { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } },
    ))

  it('a tap shows the period and the events of a bar', () =>
    look(
      HURRICANES,
      async (page) => {
        await page.locator('.u-over').tap()
        await expect.poll(() => page.locator('.plot .tip').innerText()).toMatch(/^20\d\d-\d\d.*: \d+ events?$/)
        expect(new URL(page.url()).search).toBe('?category=hurricane')
      },
      { hasTouch: true, isMobile: true, viewport: { width: 390, height: 844 } },
    ))

  it('a tip stays inside the graph', () =>
    look(HURRICANES, async (page) => {
      const figure = page.getByRole('slider')
      await figure.focus()
      for (const key of ['Home', 'End']) {
        await page.keyboard.press(key)
        const [tip, box] = [await page.locator('.plot .tip').boundingBox(), await figure.boundingBox()]
        expect(tip?.x).toBeGreaterThanOrEqual(box?.x ?? 0)
        expect((tip?.x ?? 0) + (tip?.width ?? 0)).toBeLessThanOrEqual((box?.x ?? 0) + (box?.width ?? 0))
      }
    }))

  it('a button saves a picture', () =>
    look(HURRICANES, async (page) => {
      const saved = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Save as PNG' }).click()
      const download = await saved
      expect(download.suggestedFilename()).toBe('timeline.png')
      const bytes = readFileSync((await download.path()) ?? '')
      const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
      expect(bytes.subarray(1, 4).toString()).toBe('PNG')
      expect(width).toBeGreaterThan(400)
      expect(height).toBeGreaterThan(180)
    }))

  it('is Dutch for a Dutch reader', () =>
    look(
      HURRICANES,
      async (page) => {
        expect(await caption(page)).toBe('Gebeurtenissen per 25 dagen')
        await page.getByLabel('Stapel per').selectOption('category')
        expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(/ tot .*: 164 gebeurtenissen$/)
      },
      { locale: 'nl-NL' },
    ))

  it('has no layer without events, and no fault, if nothing matches', async () => {
    const { page, faults, close } = await stage.open(`${EVENTS}?category=none`, { webgl: false })
    try {
      await page.getByText('No event in this period').waitFor()
      expect(faults).toEqual([])
    } finally {
      await close()
    }
  })
})
