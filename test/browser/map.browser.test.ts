import { readFileSync } from 'node:fs'
import type * as maplibre from 'maplibre-gl'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { type Color, chipsOf, countPixels, type Looks, textsDrawn } from './browser.ts'
import { count, counted, describePages, EVENTS, legend, OVERFLOWS, query, SERIES } from './pages.ts'

const TILESET = '/ogc/collections/events/tiles/WebMercatorQuad'
/** An event with an id at its source and attributes, alone in the Atlantic. */
const DESCRIBED = {
  kind: 'event',
  id: 90_001,
  series: 5,
  category: 'drift ice',
  value: '2.35',
  start: Date.UTC(2019, 8, 9, 9, 9, 9),
  end: Date.UTC(2019, 8, 10, 9, 9, 9),
  coordinates: [-40, 52],
  object: null,
  external_id: 'ICE-7',
  attributes: { Vessel: 'Titania', Depth: 4.5 },
}

/** Overflows at six places of two towns. The last place has two of them. */
const OVERFLOWED = [5, 10, 20, 40, 80, 160, 1000].map((volume, i) => ({
  ...{ kind: 'event', id: 90_100 + i, series: 71, category: '', value: String(volume), object: null },
  ...{ start: Date.UTC(2026, 0, 1 + i), end: Date.UTC(2026, 0, 1 + i) },
  ...{ coordinates: [Math.min(i, 5) / 10, 52], attributes: { Gemeente: i < 4 ? 'Zeist' : 'Houten' } },
}))
const METADATA = {
  ...{ source: 'Waterschap', source_url: null, license: 'CC0-1.0', contact: null, more: false },
  fields: [
    { name: 'value', title: 'Volume', type: 'string', unit: 'm³' },
    { name: 'attributes__Gemeente', title: 'Gemeente', type: 'string' },
  ],
}
const RECORDS = [DESCRIBED, { ...SERIES, metadata: METADATA }, ...OVERFLOWED]

describePages('the map in a browser', { records: RECORDS }, (pages) => {
  /** Opens a list with its map. */
  const look = (
    query: string,
    act: (page: Page) => Promise<void>,
    options: Looks & { readonly errors?: RegExp } = {},
  ) =>
    pages.look(
      `${EVENTS}${query}`,
      async (page) => {
        await page.locator('.map canvas').waitFor()
        await act(page)
      },
      { webgl: true, ...options },
    )

  /** Returns a point of the map. `x` and `y` are fractions of its width and height. */
  const pointAt = async (page: Page, x: number, y: number) => {
    const box = await page.locator('.map canvas').boundingBox()
    if (box === null) throw new Error('no map')
    return [box.x + x * box.width, box.y + y * box.height] as const
  }
  /** The places of the map where a test looks for a mark, from its middle. */
  const PLACES = Array.from(
    { length: 30 * 45 },
    (_, i) => [(i % 45) / 50 - 0.44, Math.floor(i / 45) / 50 - 0.3] as const,
  )
    .sort((a, b) => Math.hypot(...a) - Math.hypot(...b))
    .map(([x, y]) => [0.5 + x, 0.5 + y] as const)

  /** Moves the pointer over the map until the tip has a text. Returns the place. */
  const find = async (page: Page, text: RegExp) => {
    for (const place of PLACES) {
      const point = await pointAt(page, ...place)
      await page.mouse.move(...point)
      const [tip] = await page.locator('.map .tip').allInnerTexts()
      if (tip !== undefined && text.test(tip)) return point
    }
    throw new Error(`no tip has ${text}`)
  }
  const cursor = (page: Page) => page.locator('.map canvas').evaluate((canvas) => canvas.style.cursor)
  const click = async (page: Page, point: readonly [x: number, y: number]) => {
    await page.mouse.move(...point)
    await page.mouse.click(...point)
  }
  /** Returns the area in the address. */
  const areaOf = (page: Page) => query(page).geom_within
  const scale = (page: Page) => page.locator('.maplibregl-ctrl-scale').innerText()

  it('explains the five colours of densities, gives the address of the tiles, and is saved as PNG with its density', () =>
    look('', async (page) => {
      await expect.poll(() => legend(page)).toMatch(/^Events around a place\s+1–9\s+10–99\s+100–999/)
      await page.locator('.api summary').click()
      const href = await page.getByRole('link', { name: 'TileJSON' }).getAttribute('href')
      expect(href).toBe(`${pages.address}${TILESET}/tilejson.json`)
      expect(await (await fetch(href ?? '')).json()).toMatchObject({
        tiles: [`${pages.address}${TILESET}/{z}/{y}/{x}`],
      })
      const saved = page.waitForEvent('download')
      await page.locator('.map').getByRole('button', { name: 'Save as PNG' }).click()
      const download = await saved
      expect(download.suggestedFilename()).toBe('map.png')
      const blue: Color = [0x33, 0x80, 0xcf]
      const { counts, all } = await countPixels(page, readFileSync(await download.path()), [blue], 60)
      const canvas = await page.locator('.map canvas').boundingBox()
      expect(all).toBeGreaterThan((canvas?.width ?? 0) * (canvas?.height ?? 0) * 1.1)
      expect(counts[0]).toBeGreaterThan(1000)
    }))

  it('a cell shows its count, and a click zooms in', () =>
    look('?geom_within=POLYGON+((-80+20,-60+20,-60+35,-80+35,-80+20))', async (page) => {
      // The requests for tiles have the area, so the tiles show only matches.
      await expect.poll(() => legend(page)).toContain('Atlantic storms 2010-2020')
      await page.goto(`${pages.address}${EVENTS}`)
      await expect.poll(() => legend(page)).toContain('100–999')
      const before = await scale(page)
      const [x, y] = await find(page, /^[\d,]+ events?$/)
      await page.mouse.click(x, y)
      await expect.poll(() => scale(page)).not.toBe(before)
    }))

  it('dots show a number in five sizes, or a text in colours, and the picture names the source', () =>
    look(`?event_series=${OVERFLOWS}&page_size=2`, async (page) => {
      const written = await textsDrawn(page)
      await expect.poll(() => legend(page)).toBe('Riooloverstorten')
      const dots = page.getByRole('combobox', { name: 'Dots' })
      await dots.selectOption('Volume (m³)')
      await expect
        .poll(async () => (await legend(page)).split('\n'))
        .toEqual(['Volume (m³): sum of each place', '5', '10', '20', '40', '80–1,160'])
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.locator('.map').getByRole('button', { name: 'Save as PNG' }).click(),
      ])
      await download.path()
      await expect.poll(() => written.join(' ')).toContain('Riooloverstorten, Waterschap, CC0-1.0, http')
      expect(written).toContain('80–1,160')
      await page.goto(page.url().replace(/dots=.*/, 'dots=attributes__Gemeente'))
      await expect.poll(async () => (await legend(page)).split('\n')).toEqual(['Zeist', 'Houten'])
    }))

  it('shows the rows, and not the world, if the summary fails', () =>
    look(
      '',
      async (page) => {
        await page.route('**/summary/**', (route) => route.abort())
        await page.goto(`${pages.address}${EVENTS}?event_series=469018d8`)
        await page.getByText('This could not be loaded.').first().waitFor()
        await expect.poll(() => scale(page)).toMatch(/^\d{1,3}\s*km$/)
      },
      { errors: /./ },
    ))

  it('hovering over an event highlights its row, and a click opens its popup', () =>
    look(
      '?fields=value,coordinates&geom_within=POLYGON+((-136.656+59.741,-136.456+59.741,-136.456+59.941,-136.656+59.941,-136.656+59.741))',
      async (page) => {
        const rows = page.locator('tbody tr')
        await rows.first().waitFor()
        const index = (await rows.allInnerTexts()).findIndex((text) => text.includes('59.841'))
        expect(index).toBeGreaterThanOrEqual(0)
        await expect.poll(() => legend(page)).toBe('Earthquakes Alaska')
        const [x, y] = await find(page, /earthquake · 20/)
        await expect.poll(() => page.locator('tbody tr.pointed').count()).toBe(1)
        await page.mouse.click(x, y)
        await page.locator('.popup a').first().waitFor()
      },
    ))

  it('a drawn polygon filters the list, and can be edited and cleared', () =>
    look('?category=hurricane&page_size=500', async (page) => {
      await count(page, '164 events')
      const polygon = page.getByRole('button', { name: 'Polygon' })
      await polygon.click()
      await page.getByText('Click each corner').waitFor()
      await expect.poll(() => cursor(page)).toBe('crosshair')
      for (const [x, y] of [
        [0.3, 0.5],
        [0.55, 0.5],
        [0.5, 0.85],
        [0.45, 0.85], // Some 20 pixels beside the last corner. It is a corner, too.
        [0.3, 0.8],
        [0.3, 0.5],
      ] as const)
        await click(page, await pointAt(page, x, y))
      await page.waitForURL(/geom_within=POLYGON/)
      await expect.poll(() => counted(page)).not.toBe('164 events')
      const narrowed = Number.parseInt(await counted(page), 10)
      expect(narrowed).toBeGreaterThan(0)
      expect(narrowed).toBeLessThan(164)
      expect(areaOf(page)).toMatch(/^POLYGON \(\((-?[\d.]+ -?[\d.]+, ){5}-?[\d.]+ -?[\d.]+\)\)$/)
      expect(await polygon.getAttribute('aria-pressed')).toBe('false')
      const first = page.url()
      await page.getByRole('button', { name: 'Edit' }).click()
      const [fromX, fromY] = await pointAt(page, 0.3, 0.5)
      const isHeld = async () => {
        await page.mouse.move(fromX + 1, fromY)
        await page.mouse.move(fromX, fromY)
        return (await cursor(page)) === 'move'
      }
      await expect.poll(isHeld).toBe(true)
      await page.mouse.down()
      await page.mouse.move(fromX - 96, fromY - 32, { steps: 8 })
      await page.mouse.up()
      await expect.poll(() => page.url()).not.toBe(first)
      await page.getByRole('button', { name: 'Clear area' }).click()
      await count(page, '164 events')
      expect(await chipsOf(page)).toEqual(['Category: hurricane'])
    }))

  it.each(['Rectangle', 'Circle'])(
    'a %s is drawn by dragging or by two clicks, and the form shows it as WKT',
    (shape) =>
      look('?category=hurricane&page_size=500', async (page) => {
        const begin = async () => {
          await count(page, '164 events')
          await page.getByRole('button', { name: shape }).click()
          await page.getByText('To cancel, press Escape').waitFor()
          await expect.poll(() => cursor(page)).toBe('crosshair')
          return [await pointAt(page, 0.4, 0.4), await pointAt(page, 0.6, 0.5)] as const
        }
        const end = async () => {
          await page.waitForURL(/geom_within=POLYGON/)
          await expect.poll(() => counted(page)).not.toBe('164 events')
          expect(new URL(page.url()).searchParams.get('geom_within')).toMatch(
            /^POLYGON \(\((-?[\d.]+ -?[\d.]+, ){4,}-?[\d.]+ -?[\d.]+\)\)$/,
          )
        }
        const [from, to] = await begin()
        const top = (await page.locator('.map').boundingBox())?.y
        await page.mouse.move(...from)
        await page.mouse.down()
        await page.mouse.move(...to, { steps: 10 })
        await page.mouse.up()
        await end()
        expect((await page.locator('.map').boundingBox())?.y).toBe(top)
        await page.getByRole('button', { name: 'Clear area' }).click()
        for (const point of await begin()) await click(page, point)
        await end()
      }),
  )

  const SEA: Color = [0xe4, 0xeb, 0xf0]
  /** The edge of a dot. */
  const EDGE: Color = [255, 255, 255]

  /** Counts the pixels of the sea, of each class of densities, and of edges of dots. The map must have no land. */
  const countColors = async (page: Page) => {
    await page.evaluate(() => {
      const parts = document.querySelectorAll<HTMLElement>(
        '.tools, .map-hints, .map-legend, .maplibregl-control-container',
      )
      for (const part of parts) part.style.opacity = '0'
    })
    const blend = (part: number, i: number) => 0.15 * (SEA[i] ?? 0) + 0.85 * part
    const colors = [
      SEA,
      EDGE,
      ...CLASSES.map(([red, green, blue]): Color => [blend(red, 0), blend(green, 1), blend(blue, 2)]),
    ]
    const { counts } = await countPixels(page, await page.locator('.map canvas').screenshot(), colors, 8)
    const [sea = 0, edges = 0, ...density] = counts
    return { sea, edges, density }
  }
  /** The colours of densities in light mode, from few events to many. */
  const CLASSES: readonly Color[] = [
    [0xbc, 0xd9, 0xf3],
    [0x74, 0xae, 0xe6],
    [0x33, 0x80, 0xcf],
    [0x17, 0x57, 0xa0],
    [0x0a, 0x2c, 0x5e],
  ]

  it('the first picture of many events has the colours of densities, and no dots', () =>
    look('?page_size=100', async (page) => {
      await page.route('**/world-*.json', () => {})
      await page.reload()
      let first = await countColors(page)
      await expect
        .poll(async () => {
          first = await countColors(page)
          return first.density.filter((count) => count > 20).length
        })
        .toBeGreaterThanOrEqual(3)
      expect(first.edges).toBeLessThan(20)
    }))

  it.each([
    ['nl-NL', 'ë'],
    ['en-GB', 'm'],
  ])('in %s, the countries around Belgium have names with the letter %s', (locale, letter) =>
    look(
      '?page_size=1',
      async (page) => {
        await page.addInitScript(() => {
          const { prototype } = CanvasRenderingContext2D
          const { fillText } = prototype
          prototype.fillText = function (text, x, y) {
            document.documentElement.dataset.drawn = `${document.documentElement.dataset.drawn ?? ''}${text}`
            fillText.call(this, text, x, y)
          }
        })
        await page.goto(`${page.url()}#map=6/51/5`)
        await page.reload()
        const drawn = async () => (await page.locator('html').getAttribute('data-drawn')) ?? ''
        await expect.poll(drawn).toContain(letter)
        expect((await drawn()).includes('ë')).toBe(letter === 'ë')
      },
      { locale },
    ),
  )

  it.each([
    [1800, 700],
    [390, 844],
  ])('the world is drawn once at %i by %i, also if the user zooms out', (width, height) =>
    look('?page_size=1', async (page) => {
      await page.setViewportSize({ width, height })
      await page.route('**/world-*.json', () => {})
      await page.goto(`${pages.address}/`)
      // The legend does not wait for the land.
      await expect.poll(() => legend(page)).toMatch(/^Events around a place\s+1–9\s+10–99\s+100–999/)
      const once = await countColors(page)
      await page.locator('.map canvas').focus()
      for (let i = 0; i < 5; i++) await page.keyboard.press('-')
      // Another world would add as many pixels again.
      const marked = ({ density }: typeof once) => density.reduce((sum, count) => sum + count, 0)
      await expect.poll(async () => marked(await countColors(page))).toBeLessThanOrEqual(marked(once) * 1.05)
      expect(marked(once)).toBeGreaterThan(1000)
    }),
  )

  it('the tip and the popup of an event of another page begin with its value, whatever the address chooses', () =>
    look('?category=hurricane&page_size=1&fields=id,category&include=series', async (page) => {
      const named = /^\w+ 20\d\d: (up to )?\d+ kn/
      await expect.poll(() => legend(page)).toMatch(/dot|storm/)
      const [x, y] = await find(page, /hurricane/)
      await expect.poll(() => page.locator('.map .tip').innerText()).toMatch(named)
      await page.mouse.click(x, y)
      const popup = page.locator('.popup')
      await expect.poll(() => popup.locator('a').first().innerText()).toMatch(named)
      const [inner, outer] = [
        await page.locator('.maplibregl-popup:not(.tip)').boundingBox(),
        await page.locator('.map').boundingBox(),
      ]
      if (inner === null || outer === null) throw new Error('no popup')
      // The popup stays inside the map, and Escape closes it.
      expect(inner.x).toBeGreaterThanOrEqual(outer.x)
      expect(inner.y).toBeGreaterThanOrEqual(outer.y)
      expect(inner.x + inner.width).toBeLessThanOrEqual(outer.x + outer.width)
      // The map places it by whole pixels.
      expect(inner.y + inner.height).toBeLessThanOrEqual(outer.y + outer.height + 1)
      await page.keyboard.press('Escape')
      await expect.poll(() => popup.count()).toBe(0)
      // The list has the event on another page, so its page leads back to the list.
      await page.mouse.click(x, y)
      await popup.locator('a').first().click()
      await page.getByRole('link', { name: 'Back to the 164 events' }).waitFor()
    }))

  it('the address has the view, and "Search this area" searches it', () =>
    look('#map=5/52.2/5.3', async (page) => {
      await expect.poll(() => legend(page)).not.toBe('')
      const near = await scale(page)
      await page.locator('.map canvas').focus()
      await page.keyboard.press('-')
      await page.waitForURL(/#map=4\.\d*\/52\.\d+\/5\.\d+$/)
      const far = await scale(page)
      expect(far).not.toBe(near)
      await page.reload()
      await expect.poll(() => legend(page)).not.toBe('')
      expect(await scale(page)).toBe(far)
      await page.locator('.map canvas').focus()
      await page.keyboard.press('+')
      await page.getByRole('button', { name: 'Search this area' }).click()
      await page.waitForURL(/geom_within=POLYGON[^#]*$/)
      await expect.poll(() => scale(page)).toBe(near)
      await expect.poll(() => counted(page)).not.toBe('15,175 events')
    }))

  it('the search in the view says if it replaces an area of the user, and a notch of the wheel counts as a move', () =>
    look('?geom_within=POLYGON+((3+50,8+50,8+54,3+50))#map=5/52.2/5.3', async (page) => {
      await expect.poll(() => legend(page)).not.toBe('')
      await page.locator('.map canvas').focus()
      await page.keyboard.press('-')
      await page.getByRole('button', { name: 'Search this view instead of the area' }).click()
      await page.waitForURL(/geom_within=POLYGON\+\(\(-[^#]*$/)
      await page.mouse.move(...(await pointAt(page, 0.5, 0.5)))
      await page.mouse.wheel(0, -300)
      await page.waitForURL(/#map=[\d.]+\/-?[\d.]+\/-?[\d.]+$/)
      await page.getByRole('button', { name: 'Search this area' }).waitFor()
    }))

  it('a popup has the id at the source and the attributes', () =>
    look('?category=drift+ice', async (page) => {
      await expect.poll(() => legend(page)).not.toBe('')
      await page.mouse.click(...(await find(page, /drift ice/)))
      const facts = page.locator('.popup .facts > div')
      await facts.filter({ hasText: 'Vessel' }).waitFor()
      expect((await facts.allInnerTexts()).map((fact) => fact.split(/\n+/))).toEqual([
        ['Id at its source', 'ICE-7'],
        ['Vessel', 'Titania'],
        ['Depth', '4.5'],
      ])
      await facts.getByRole('link', { name: 'Titania' }).click()
      await page.waitForURL(/category=drift\+ice.*attributes__Vessel=Titania/)
      await expect.poll(() => page.locator('.popup').count()).toBe(0)
    }))

  it('a popup lies above the buttons', () =>
    look('?object=storm$342&category=hurricane&event_series=99fe5d', async (page) => {
      await expect.poll(() => legend(page)).not.toBe('')
      const [x, y] = await find(page, /Alex 2010/)
      await page.mouse.click(x, y)
      const popup = page.locator('.maplibregl-popup:not(.tip)')
      await popup.locator('a').first().waitFor()
      // It has its height after the attributes.
      await popup.getByText('946', { exact: true }).waitFor()
      const { height = 0 } = (await popup.boundingBox()) ?? {}
      const tools = await page.locator('.tools').boundingBox()
      if (tools === null) throw new Error('no tools')
      // The popup is above its event, or beside it. After this move, it is where the buttons are.
      const [fromX, fromY] = await pointAt(page, 0.2, 0.8)
      const [right, below] = [tools.x + tools.width - x, tools.y + height - y]
      await page.mouse.move(fromX, fromY)
      await page.mouse.down()
      await page.mouse.move(fromX + right, fromY + below, { steps: 8 })
      await page.mouse.up()
      const covered = () =>
        page.evaluate(() => {
          const box = document
            .querySelector('.maplibregl-popup:not(.tip) .maplibregl-popup-content')
            ?.getBoundingClientRect()
          const shared = [...document.querySelectorAll('.tools button')].flatMap((button) => {
            const { left, right, top, bottom } = button.getBoundingClientRect()
            const [x, y] = [(left + right) / 2, (top + bottom) / 2]
            const isShared = box && x > box.left && x < box.right && y > box.top && y < box.bottom
            return isShared ? [document.elementFromPoint(x, y)?.closest('.maplibregl-popup') !== null] : []
          })
          return shared
        })
      await expect.poll(covered).toContain(true)
      expect(await covered()).not.toContain(false)
    }))

  it('the controls of the map are in the language of the page', () =>
    look(
      '?category=hurricane',
      async (page) => {
        await page.getByRole('button', { name: 'Zoom uit' }).waitFor()
        await page.getByRole('region', { name: 'Kaart' }).waitFor()
        await page.getByRole('button', { name: 'EN: English' }).click()
        await page.getByRole('button', { name: 'Zoom out' }).waitFor()
        await expect.poll(() => legend(page)).toMatch(/dot|storm/)
      },
      { locale: 'nl-NL' },
    ))

  it('ten visits to an event and back leave no map in memory', { timeout: 180_000 }, () =>
    look(
      '?category=hurricane',
      async (page) => {
        interface Window {
          contexts: WeakRef<WebGLRenderingContext>[]
        }
        await page.addInitScript(() => {
          const contexts: Window['contexts'] = []
          Object.assign(window, { contexts })
          const { getContext } = HTMLCanvasElement.prototype
          HTMLCanvasElement.prototype.getContext = function (
            this: HTMLCanvasElement,
            type: string,
            ...more: unknown[]
          ) {
            const context = (getContext as (...values: unknown[]) => RenderingContext).call(this, type, ...more)
            if (context instanceof WebGL2RenderingContext) contexts.push(new WeakRef(context))
            return context
          } as typeof getContext
        })
        await page.reload()
        const tools = await page.context().newCDPSession(page)
        /** Returns the megabytes of the heap after garbage collection, and the number of live WebGL contexts. */
        const measure = async () => {
          await expect.poll(() => legend(page)).toMatch(/dot|storm/)
          await page.waitForLoadState('networkidle')
          await tools.send('HeapProfiler.collectGarbage')
          const { usedSize } = await tools.send('Runtime.getHeapUsage')
          const alive = await page.evaluate(() => {
            const all = (window as unknown as Window).contexts.map((each) => each.deref())
            return new Set(all.filter((each) => each?.isContextLost() === false)).size
          })
          return [usedSize / 1e6, alive] as const
        }
        const visit = async () => {
          await page.locator('tbody a').first().click()
          await page.locator('.item .map canvas').waitFor()
          await page.goBack()
          await page.locator('.list-page .map canvas').waitFor()
          await page.locator('.plot svg').waitFor()
        }
        // The first visit loads scripts and the names of countries, which stay.
        await visit()
        const [before] = await measure()
        for (let round = 0; round < 10; round++) await visit()
        const [after, alive] = await measure()
        // A map that stays holds more than 1 MB. Compiled code and caches of the browser grow by up to 6 MB in all.
        expect(after - before).toBeLessThan(10)
        expect(alive).toBe(1)
      },
      { fresh: true },
    ),
  )

  describe('MapLibre with the addresses of the tiles', () => {
    interface Window {
      maplibregl: typeof maplibre
    }

    /**
     * Reads a map of MapLibre that is large enough to show the world at a zoom level. Returns the number of events in
     * its cells, the ids of the cells, and the ids of those that are drawn.
     */
    const readShown = (page: Page, style: string, zoom: number) =>
      page.evaluate(
        async ([style, zoom]) => {
          const { maplibregl } = window as unknown as Window
          const container = document.createElement('div')
          const side = `${512 * 2 ** zoom}px`
          Object.assign(container.style, { position: 'fixed', left: '0', top: '0', width: side, height: side })
          document.body.appendChild(container)
          const map = new maplibregl.Map({ container, style, center: [0, 0], zoom, renderWorldCopies: false })
          await new Promise((resolve) => map.once('idle', resolve))
          const found = map.querySourceFeatures('events', { sourceLayer: 'cells' })
          const cells = [...new Map(found.map(({ id, properties }) => [Number(id), properties])).entries()]
          const drawn = map.queryRenderedFeatures().filter(({ sourceLayer }) => sourceLayer === 'cells')
          map.remove()
          container.remove()
          return {
            count: cells.reduce((sum, [, { count }]) => sum + Number(count), 0),
            cells: cells.map(([id]) => id).sort(),
            squares: [...new Set(drawn.map(({ id }) => Number(id)))].sort(),
          }
        },
        [style, zoom] as const,
      )

    it('the cells count all matches, and the style draws each of them', () =>
      look('?page_size=1', async (page) => {
        for (const [query, zoom] of [
          ['', 0],
          ['', 1],
          ['?category=hurricane', 1],
          ['?bbox=-80,20,-60,35', 1],
        ] as const) {
          const items = await fetch(`${pages.address}/ogc/collections/events/items${query}${query ? '&' : '?'}limit=1`)
          const { numberMatched } = (await items.json()) as { numberMatched: number }
          const shown = await readShown(page, `${pages.address}${TILESET}/style.json${query}`, zoom)
          expect([query, shown.count, shown.squares]).toEqual([query, numberMatched, shown.cells])
        }
      }))
  })
})
