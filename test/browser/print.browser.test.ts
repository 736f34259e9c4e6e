import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describePages, EVENTS, legend } from './pages.ts'
import { sheetsOf } from './pdf.ts'

const COLUMNS =
  'id,category,timestamp_start,timestamp_end,duration,object,event_series,external_id,last_modified,attributes,coordinates'
/** The width of A4 without margins of 15 mm, in pixels. */
const PAPER = 680

/** An event with long names, long values, and words that have no end. */
const WIDE = {
  kind: 'event',
  id: 90_001,
  series: 5,
  category: 'a long category of observations',
  value: 'the water is 1.234567 m above the level of the sea',
  start: Date.UTC(2019, 8, 9, 9, 9, 9),
  end: Date.UTC(2019, 8, 10, 9, 9, 9),
  coordinates: [-40, 30],
  object: { model: 'a_model_with_a_long_name', id: 123_456_789 },
  external_id: '0123456789'.repeat(12),
  attributes: {
    ...Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`attribute_with_a_long_name_${i}`, `some words ${i}`])),
    endless: 'endless'.repeat(30),
    nested: { of: { a: { deep: 'deep'.repeat(40) } } },
  },
}

describePages('the page on paper', { records: [WIDE] }, (pages) => {
  const look = (path: string, act: (page: Page) => Promise<void>, webgl = true) =>
    pages.look(path, act, { webgl, viewport: { width: 1440, height: 900 } })

  /** Prints a page. Returns the size of each picture in pixels, and its compressed bytes. An empty one has few. */
  const pictures = async (page: Page) => {
    const file = (await page.pdf({ format: 'A4' })).toString('latin1')
    return Array.from(file.matchAll(/<<[^<>]*\/Subtype \/Image\b[^<>]*>>/g), ([head]) => {
      const number = (name: string) => Number(new RegExp(`/${name} (\\d+)`).exec(head)?.[1])
      return { width: number('Width'), height: number('Height'), bytes: number('Length') }
    })
  }
  const ready = async (page: Page) => {
    await page.locator('.map-legend').waitFor()
    await page.locator('.plot svg').waitFor()
    await page.waitForLoadState('networkidle')
    await expect.poll(() => legend(page)).not.toBe('')
  }

  it('has the map as on the screen, and the graph beside it', () =>
    look(`${EVENTS}?category=hurricane`, async (page) => {
      await ready(page)
      const map = await page.locator('.map canvas').first().boundingBox()
      const printed = await pictures(page)
      expect(printed).toContainEqual({
        width: Math.round(map?.width ?? 0),
        height: Math.round(map?.height ?? 0),
        bytes: expect.toSatisfy((bytes: number) => bytes > 5000),
      })
      // The screen is as before.
      expect(await page.locator('.map canvas').count()).toBe(1)
      expect(await page.locator('.map canvas').boundingBox()).toEqual(map)
      const [sheet = []] = sheetsOf(await page.pdf({ format: 'A4' }))
      expect(sheet).toEqual(expect.arrayContaining(['2016', '2018', '2020']))
      await page.emulateMedia({ media: 'print' })
      await page.setViewportSize({ width: PAPER, height: 900 })
      const graph = async () => (await page.locator('.timeline').boundingBox())?.width
      await expect.poll(graph).toBe(PAPER / 2 - 6)
    }))

  it('has light colours from a dark screen, in the map and in the graph', () =>
    look(`${EVENTS}?category=hurricane`, async (page) => {
      // The map is there before the screen becomes dark.
      await ready(page)
      await page.emulateMedia({ colorScheme: 'dark' })
      /** Returns how many pixels of a canvas have a colour. */
      const countIn = (selector: string, color: readonly number[]) =>
        page.evaluate(
          ([selector, color]) => {
            const { width, height } = document.querySelector(selector) as HTMLCanvasElement
            const pen = (document.querySelector(selector) as HTMLCanvasElement).getContext('2d')
            const { data = [] } = pen?.getImageData(0, 0, width, height) ?? {}
            let count = 0
            for (let at = 0; at < data.length; at += 4) if (color.every((part, i) => data[at + i] === part)) count++
            return count
          },
          [selector, color] as const,
        )
      const [LIGHT_SEA, LIGHT_BAR, DARK_BAR] = [
        [228, 235, 240],
        [11, 98, 189],
        [99, 176, 255],
      ]
      const barsAre = async (color: readonly number[]) => {
        const bar = page.locator('.plot rect:not([class])').first()
        const fill = () => bar.evaluate((element) => getComputedStyle(element).fill)
        await expect.poll(fill).toBe(`rgb(${color.join(', ')})`)
      }
      await barsAre(DARK_BAR)
      await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
      expect(await countIn('.map .copy', LIGHT_SEA)).toBeGreaterThan(10_000)
      await page.emulateMedia({ media: 'print' })
      await barsAre(LIGHT_BAR)
      await page.emulateMedia({ media: 'screen' })
      await page.evaluate(() => dispatchEvent(new Event('afterprint')))
      await barsAre(DARK_BAR)
    }))

  it('33 rows, the map and the graph are one sheet, with the title in words and no button', () =>
    look(`${EVENTS}?event_series=99fe5d03&category=hurricane&ordering=-timestamp_start&page_size=33`, async (page) => {
      await ready(page)
      const sheets = sheetsOf(await page.pdf({ format: 'A4' }))
      const texts = (sheets[0] ?? []).join(' ').replace(/\s+/g, ' ')
      expect([sheets.length, texts.includes('Atlantic storms 2010-2020 · hurricane')]).toEqual([1, true])
      for (const button of ['Clear all', 'Download', 'Columns', '+ Filter', 'PNG']) expect(texts).not.toContain(button)
    }))

  it('tells the address, the day, and how many of the rows it has', () =>
    look(
      `${EVENTS}?category=hurricane&page_size=150`,
      async (page) => {
        await page.getByRole('heading', { name: '164 events' }).waitFor()
        const words = page.getByText('Category: hurricane', { exact: true })
        const source = page.getByText(`Source: ${pages.address}${EVENTS}?category=hurricane&page_size=150, 20`)
        expect(await source.isVisible()).toBe(false)
        expect(await page.getByText('150 of 164 rows').isVisible()).toBe(false)
        expect(await page.locator('tbody tr').count()).toBe(100)
        await page.emulateMedia({ media: 'print' })
        await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
        await source.waitFor()
        await words.waitFor()
        await page.getByText('150 of 164 rows').waitFor()
        await expect.poll(() => page.locator('tbody tr').count()).toBe(150)
        await page.goto(`${pages.address}${EVENTS}?category=hurricane&page_size=500`)
        await page.getByRole('heading', { name: '164 events' }).waitFor()
        expect(await page.getByText(/ of 164 rows/).count()).toBe(0)
      },
      false,
    ))

  it.each([
    ['an event with many attributes', `${EVENTS}90001/`],
    ['a list with all columns', `${EVENTS}?id=90001&fields=${COLUMNS}`],
  ])('%s has all its words within the width of the paper', (_, path) =>
    look(path, async (page) => {
      await page.getByText('some words 4').waitFor()
      await page.emulateMedia({ media: 'print' })
      await page.setViewportSize({ width: PAPER, height: 900 })
      const cut = await page.locator('main *').evaluateAll(
        (all, width) =>
          all.flatMap((each) => {
            const { left, right, height } = each.getBoundingClientRect()
            const isCut = each.clientWidth > 1 && each.scrollWidth > each.clientWidth + 1
            const isSeen = height > 0 && !each.closest('.map')
            return isSeen && (left < 0 || right > width || isCut) ? [each.outerHTML.slice(0, 100)] : []
          }),
        PAPER,
      )
      expect(cut).toEqual([])
    }),
  )

  it('repeats the headings of all columns on each sheet', () =>
    look(
      `${EVENTS}?category=hurricane&page_size=150&fields=value,timestamp_start,category,object`,
      async (page) => {
        await page.locator('tbody tr').first().waitFor()
        await page.waitForLoadState('networkidle')
        const headings = await page.locator('th').allTextContents()
        const sheets = sheetsOf(await page.pdf({ format: 'A4' })).filter((texts) => texts.includes('hurricane'))
        expect(sheets.length).toBeGreaterThan(1)
        for (const texts of sheets) expect(texts).toEqual(expect.arrayContaining(headings))
      },
      false,
    ))

  it('is light, and has the colours of the series and of the bars', () =>
    look(
      `${EVENTS}?category=hurricane&event_series=99fe5d03&fields=value,event_series`,
      async (page) => {
        await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
        await page.locator('.plot rect:not([class])').first().waitFor()
        const looks = await page.evaluate(() => {
          const styleOf = (selector: string) => getComputedStyle(document.querySelector(selector) as Element)
          const { backgroundColor, color } = styleOf('body')
          return [
            backgroundColor,
            color,
            styleOf('.plot rect:not([class])').printColorAdjust,
            styleOf('td .swatch').printColorAdjust,
          ]
        })
        expect(looks).toEqual(['rgba(0, 0, 0, 0)', 'rgb(27, 33, 38)', 'exact', 'exact'])
      },
      false,
    ))
})
