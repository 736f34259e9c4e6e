import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { type Color, countPixels, type Looks } from './browser.ts'
import { describePages, EVENTS } from './pages.ts'

const HURRICANES = `${EVENTS}?category=hurricane`

describePages('the graph over time', {}, (pages) => {
  /** Opens a list whose graph is drawn. */
  const look = (path: string, act: (page: Page) => Promise<void>, options: Looks = {}) =>
    pages.look(
      path,
      async (page) => {
        // A phone shows one part of the page at a time.
        if (options.isMobile) await page.getByRole('button', { name: 'Time', exact: true }).click()
        await page.locator('.plot svg').waitFor()
        await act(page)
      },
      options,
    )

  const caption = (page: Page) => page.locator('.timeline .panel-head small').innerText()
  const layers = (page: Page) => page.locator('.layers li').allInnerTexts()

  /** Returns the number of pixels of the graph in a colour. */
  const pixelsIn = async (page: Page, color: Color) =>
    (await countPixels(page, await page.locator('.plot').screenshot(), [color], 1)).counts[0]

  /** Finds a bar by the beginning of its title. */
  const bar = (page: Page, title: string) =>
    page.locator('.plot g').filter({ has: page.locator('title', { hasText: new RegExp(`^${title}: `) }) })

  const boxOf = async (found: Locator) => {
    const box = await found.boundingBox()
    if (box === null) throw new Error('not on the screen')
    return box
  }

  /** Returns the period that the address of a page names. */
  const period = (page: Page) => {
    const { searchParams } = new URL(page.url())
    return ['gte', 'lt'].map((lookup) => searchParams.get(`timestamp_start__${lookup}`))
  }

  const within = (from: string, before: string) =>
    `${EVENTS}?timestamp_start__gte=${from}&timestamp_start__lt=${before}`
  const YEAR = within('2016-01-01', '2017-01-01')

  /** Expects that the labels of the graph are in the panel and do not touch. */
  const expectClearLabels = async (page: Page, told: string) => {
    const panel = await boxOf(page.locator('.timeline'))
    const texts = await page.locator('.plot text').filter({ visible: true }).all()
    const boxes = await Promise.all(texts.map(boxOf))
    expect(boxes.length, told).toBeGreaterThan(3)
    for (const [i, { x, y, width, height }] of boxes.entries()) {
      expect(x, told).toBeGreaterThan(panel.x)
      expect(x + width, told).toBeLessThan(panel.x + panel.width)
      expect(y + height, told).toBeLessThan(panel.y + panel.height)
      const touches = (other: typeof panel) =>
        x < other.x + other.width && other.x < x + width && y < other.y + other.height && other.y < y + height
      expect(boxes.slice(i + 1).filter(touches), told).toEqual([])
    }
  }

  it('its caption names the unit of the bars, and its labels are in the panel and do not touch', () =>
    look(EVENTS, async (page) => {
      for (const [path, expected] of [
        [EVENTS, 'Events per 5 years'],
        [HURRICANES, 'Events per quarter'],
        [YEAR, 'Events per month'],
        [within('2018-02-01', '2018-10-01'), 'Events per week'],
        [within('2018-02-01', '2018-03-01'), 'Events per day'],
        [within('2018-02-01', '2018-02-03'), 'Events per hour'],
        [`${EVENTS}?category=earthquake`, 'Events per day'],
      ] as const) {
        await page.goto(`${pages.address}${path}`)
        await expect.poll(() => caption(page), { message: path }).toBe(expected)
        await page.locator('.plot svg').waitFor()
        await expectClearLabels(page, path)
      }
    }))

  it.each([
    [EVENTS, 320],
    [YEAR, 320],
    [within('2018-02-01', '2018-10-01'), 390],
    [within('2018-02-01', '2018-02-03'), 320],
  ])('the labels of %s, on a phone of %d pixels, are in the panel and do not touch', (path, width) =>
    look(path, (page) => expectClearLabels(page, path), { isMobile: true, viewport: { width, height: 844 } }),
  )

  it('each bar has a title and, for each event, the same height, and a click selects its period', () =>
    look(YEAR, async (page) => {
      const titles = await page.locator('.plot title').allTextContents()
      expect(titles.map((title) => title.replace(/:.*/, ''))).toEqual(
        [
          ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October'],
          'November',
        ].map((month) => `${month} 2016`),
      )
      const heightOf = async (title: string) => {
        const events = Number(/(\d+) events?$/.exec(title)?.[1])
        const found = bar(page, title.replace(/:.*/, ''))
        return events === 0 ? null : (await boxOf(found)).height / events
      }
      const heights = (await Promise.all(titles.map(heightOf))).filter((height) => height !== null)
      expect(heights.length).toBeGreaterThan(5)
      for (const height of heights) expect(height).toBeCloseTo(heights[0] ?? 0, 4)
      // A click on a bar selects exactly its period, and names it before.
      const over = page.locator('.plot svg')
      const [box, { x, width }] = [await boxOf(over), await boxOf(bar(page, 'August 2016'))]
      const august = { position: { x: x + width / 2 - box.x, y: 60 } }
      await over.hover(august)
      await expect.poll(() => page.locator('.plot .tip').innerText()).toMatch(/^August 2016: \d+ events$/)
      await over.click(august)
      await page.waitForURL(/timestamp_start__gte=2016-08/)
      expect(period(page)).toEqual(['2016-08-01', '2016-09-01'])
      await expect.poll(() => caption(page)).toBe('Events per day')
    }))

  it('a brush names its period and marks its bars, and may end outside of the graph', () =>
    look(YEAR, async (page) => {
      const [august, september] = [await boxOf(bar(page, 'August 2016')), await boxOf(bar(page, 'September 2016'))]
      const graph = await boxOf(page.locator('.plot svg'))
      await page.mouse.move(september.x + 5, graph.y + 60)
      await page.mouse.down()
      await page.mouse.move(august.x + 5, graph.y + 60, { steps: 4 })
      const tip = () => page.locator('.plot .tip').innerText()
      await expect.poll(tip).toMatch(/^August 2016 – September 2016: \d+ events$/)
      const chosen = await boxOf(page.locator('.plot .chosen'))
      expect(chosen.x).toBeCloseTo(august.x, 0)
      expect(chosen.width).toBeGreaterThan(september.x + september.width - august.x)
      await page.mouse.move(graph.x + graph.width + 200, graph.y + 300, { steps: 4 })
      await expect.poll(tip).toMatch(/^September 2016 – November 2016: \d+ events$/)
      await page.mouse.up()
      await page.waitForURL(/timestamp_start__gte=2016-09/)
      expect(period(page)).toEqual(['2016-09-01', '2016-12-01'])
      expect(await page.locator('.plot .chosen').count()).toBe(0)
    }))

  it('on a narrow panel, the button for all times stands beside the title, and the choices in one line', () =>
    look(YEAR, async (page) => {
      await page.locator('.plot svg').waitFor()
      const head = page.locator('.timeline .panel-head')
      const middleOf = async (part: string) => {
        const { y, height } = await boxOf(head.locator(part))
        return Math.round((y + height / 2) / 10)
      }
      expect(await middleOf('> button')).toBe(await middleOf('h2'))
      expect(await middleOf('label:has-text("Scale") select')).toBe(await middleOf('.actions button'))
    }))

  it('after another period, the unit of the period before is not asked for', () =>
    look(within('2018-02-01', '2018-03-01'), async (page) => {
      const asked: (string | null)[] = []
      page.on('request', (request) => {
        const { pathname, searchParams } = new URL(request.url())
        // The table asks which columns are equal in all matches.
        const isOfTable = searchParams.get('facets')?.startsWith('attributes')
        if (pathname.endsWith('/summary/') && !isOfTable) asked.push(searchParams.get('bins'))
      })
      await page.getByRole('button', { name: 'All times' }).click()
      await expect.poll(() => caption(page)).toBe('Events per 5 years')
      expect(asked).toEqual(['1', 'year'])
    }))

  it('bars are months of the zone that the query asks for', () =>
    look(
      `${YEAR}&timezone=America/New_York`,
      async (page) => {
        await page.locator('.plot svg').waitFor()
        const figure = page.getByRole('slider')
        const month = () => figure.getAttribute('aria-valuetext')
        expect(await month()).toMatch(/^January 2016 – November 2016: \d+ events$/)
        await figure.focus()
        for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight']) await page.keyboard.press(key)
        expect(await month()).toMatch(/^March 2016: \d+ events$/)
        await page.keyboard.press('Enter')
        await page.waitForURL(/timestamp_start__gte=2016-03/)
        // Daylight saving time begins on 13 March.
        expect(period(page)).toEqual(['2016-03-01T05:00:00Z', '2016-04-01T04:00:00Z'])
        expect(page.url()).not.toContain('timezone')
      },
      { timezoneId: 'America/New_York' },
    ))

  it('has its height before the summary arrives', () =>
    pages.look('/docs', async (page) => {
      let go = () => {}
      const measured = new Promise<void>((resolve) => {
        go = resolve
      })
      await page.route('**/summary/**', async (route) => {
        await measured
        await route.continue()
      })
      await page.goto(`${pages.address}${HURRICANES}`)
      const height = async () => (await page.locator('.timeline').boundingBox())?.height
      await page.locator('.timeline').waitFor()
      const before = await height()
      go()
      await page.locator('.plot svg').waitFor()
      expect(await height()).toBe(before)
    }))

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
    look(`${EVENTS}?category__in=earthquake,GMT`, async (page) => {
      expect(await page.getByLabel('Scale').inputValue()).toBe('root')
      await page.getByLabel('Scale').selectOption('linear')
      expect(await page.getByLabel('Scale').inputValue()).toBe('linear')
    }))

  it('a tap shows the period and the events of a bar, and a finger brushes a period', () =>
    look(
      HURRICANES,
      async (page) => {
        const over = page.locator('.plot svg')
        await over.tap()
        await expect.poll(() => page.locator('.plot .tip').innerText()).toMatch(/^quarter \d 20\d\d: \d+ events?$/)
        expect(new URL(page.url()).search).toBe('?category=hurricane')
        await over.scrollIntoViewIfNeeded()
        const box = await boxOf(over)
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

  it('a tip stays inside the graph, and a button saves a picture', () =>
    look(HURRICANES, async (page) => {
      const figure = page.getByRole('slider')
      await figure.focus()
      for (const key of ['Home', 'End']) {
        await page.keyboard.press(key)
        const [tip, box] = [await page.locator('.plot .tip').boundingBox(), await figure.boundingBox()]
        expect(tip?.x).toBeGreaterThanOrEqual(box?.x ?? 0)
        expect((tip?.x ?? 0) + (tip?.width ?? 0)).toBeLessThanOrEqual((box?.x ?? 0) + (box?.width ?? 0))
      }
      const saved = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Save as PNG' }).click()
      const download = await saved
      expect(download.suggestedFilename()).toBe('timeline.png')
      const bytes = readFileSync((await download.path()) ?? '')
      const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
      expect(bytes.subarray(1, 4).toString()).toBe('PNG')
      expect(width).toBeGreaterThan(400)
      expect(height).toBeGreaterThan(180)
      // Bars have the colour of links. The labels of the axes are grey.
      const { counts } = await countPixels(
        page,
        bytes,
        [
          [11, 98, 189],
          [88, 100, 110],
        ],
        40,
      )
      for (const count of counts) expect(count).toBeGreaterThan(200)
    }))

  it('a saved picture has its whole address, in lines that are not wider than the picture', () =>
    look(
      `${HURRICANES}&value__not=${'x'.repeat(200)}&value__exact__not=${'a+b,'.repeat(50)}`,
      async (page) => {
        const drawn = await page.evaluateHandle(() => {
          const [texts, { fillText }] = [[] as { text: string; isCut: boolean }[], CanvasRenderingContext2D.prototype]
          CanvasRenderingContext2D.prototype.fillText = function (text, x, y, width) {
            const end = x * devicePixelRatio + this.measureText(text).width * devicePixelRatio
            texts.push({ text, isCut: end > this.canvas.width })
            return fillText.call(this, text, x, y, width)
          }
          return texts
        })
        const saved = page.waitForEvent('download')
        await page.getByRole('button', { name: 'Save as PNG' }).click()
        await saved
        const texts = await drawn.jsonValue()
        expect(texts.filter(({ isCut }) => isCut)).toEqual([])
        const words = texts.map(({ text }) => text).join('')
        expect(words.replace('Source: ', 'Source:')).toContain(`Source:${page.url()}`)
      },
      { isMobile: true, viewport: { width: 390, height: 844 } },
    ))

  it('is Dutch for a Dutch reader', () =>
    look(
      HURRICANES,
      async (page) => {
        expect(await caption(page)).toBe('Gebeurtenissen per kwartaal')
        await page.getByLabel('Stapel per').selectOption('category')
        expect(await page.getByRole('slider').getAttribute('aria-valuetext')).toMatch(
          /^kwartaal \d 20\d\d – kwartaal \d 20\d\d: 164 gebeurtenissen$/,
        )
      },
      { locale: 'nl-NL' },
    ))

  it('has no layer without events, and no fault, if nothing matches', () =>
    pages.look(`${EVENTS}?category=none`, (page) => page.getByText('No event in this period').waitFor()))
})
