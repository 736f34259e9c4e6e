import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { textsDrawn } from './browser.ts'
import { DUTCH, describePages } from './pages.ts'

const STYLE = 'https://maps.example/style.json'
const CREDIT = '© Mapmakers of Texel'
/** A style without tiles, whose source names its makers. */
const BASEMAP = {
  version: 8,
  sources: { base: { type: 'geojson', data: { type: 'FeatureCollection', features: [] }, attribution: CREDIT } },
  layers: [
    { id: 'back', type: 'background', paint: { 'background-color': '#eeeeee' } },
    { id: 'base', type: 'line', source: 'base' },
  ],
}
const VARIABLES = { TITLE: 'Floods of the Meuse', DESCRIPTION: 'Every flood since 1926.', MAP_STYLE: STYLE }

describePages('the variables of the operator', { variables: VARIABLES }, (pages) => {
  const look = (path: string, act: (page: Page) => Promise<void>, webgl = false) =>
    pages.look(
      '/api/v3/',
      async (page) => {
        await page.route(STYLE, (route) => route.fulfill({ json: BASEMAP }))
        await page.goto(`${pages.address}${path}`)
        await act(page)
      },
      { webgl, ...DUTCH, errors: /./ },
    )
  const credit = (page: Page) => page.locator('.map .maplibregl-ctrl-attrib').innerText()

  it('TITLE and DESCRIPTION head the home page, also after a click', () =>
    look('/', async (page) => {
      const told = async () => {
        await page.getByRole('heading', { level: 1, name: VARIABLES.TITLE }).waitFor()
        await page.getByText(VARIABLES.DESCRIPTION).waitFor()
        await expect.poll(() => page.title()).toBe(VARIABLES.TITLE)
      }
      await told()
      await page.getByRole('link', { name: 'Bekijk de gebeurtenissen' }).click()
      await page.getByRole('heading', { level: 1, name: '15.175 gebeurtenissen' }).waitFor()
      await page.getByRole('navigation').first().getByRole('link').first().click()
      await told()
    }))

  it('the map names the makers of MAP_STYLE, on the screen and in its PNG', () =>
    look(
      '/api/v3/events/?category=hurricane',
      async (page) => {
        await expect.poll(() => credit(page)).toContain(CREDIT)
        expect(await credit(page)).not.toContain('Natural Earth')
        const written = await textsDrawn(page)
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.locator('.map').getByRole('button', { name: 'Opslaan als PNG' }).click(),
        ])
        expect(readFileSync(await download.path()).length).toBeGreaterThan(1000)
        await expect.poll(() => written.join(' ')).toContain(CREDIT)
        expect(written.join(' ')).not.toContain('Natural Earth')
      },
      true,
    ))

  it('without its style, the map shows and names its own', () =>
    look(
      '/',
      async (page) => {
        await page.route(STYLE, (route) => route.abort())
        await page.reload()
        await expect.poll(() => credit(page)).toContain('Natural Earth')
      },
      true,
    ))
})
