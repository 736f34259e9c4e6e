import { existsSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Served, serve, WRITER } from './served.ts'

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium'
const QUIET = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'].concat(
  ['--disable-background-networking', '--disable-component-update'], // The browser sends no requests of its own.
)

describe.skipIf(!existsSync(CHROMIUM))('/docs in a browser', () => {
  let served: Served
  let browser: Browser
  let page: Page
  const said: string[] = []
  const asked: URL[] = []

  beforeAll(async () => {
    served = await serve()
    browser = await chromium.launch({ executablePath: CHROMIUM, args: QUIET })
    page = await browser.newPage()
    page.setDefaultTimeout(30_000)
    // The advice of the browser about forms has the type verbose.
    page.on('console', (message) => String(message.type()) === 'verbose' || said.push(message.text()))
    page.on('pageerror', ({ message }) => said.push(message))
    page.on('request', (request) => asked.push(new URL(request.url())))
    await page.goto(`${served.address}/docs`)
    await page.waitForSelector('.opblock')
  })

  afterAll(async () => {
    await browser?.close()
    await served?.close()
  })

  /**
   * Opens an operation, fills in its fields by the names of their parameters, and sends it. Returns the answer that the
   * page shows.
   */
  const tryOut = async (id: string, values: Readonly<Record<string, string>>) => {
    const block = page.locator(`[id$="-${id}"].opblock`)
    await block.locator('.opblock-summary-control').click()
    await block.locator('.try-out__btn').click()
    const lookups = block.locator('.lookups')
    if ((await lookups.count()) > 0) await lookups.click()
    for (const [name, value] of Object.entries(values)) {
      const field = block.locator(`[data-param-name="${name}"]`)
      const add = field.locator('.json-schema-form-item-add')
      for (const [i, one] of value.split(' and ').entries()) {
        if ((await add.count()) > 0) await add.click()
        await field.locator('input, textarea').nth(i).fill(one)
      }
    }
    await block.locator('.execute').click()
    const row = block.locator('.live-responses-table .response').first()
    const status = await row.locator('.response-col_status').textContent()
    const body = await row.locator('.highlight-code code, .highlight-code pre').first().textContent()
    // Close it, because the page draws open operations again with every change.
    await block.locator('.opblock-summary-control').click()
    return {
      status: status?.trim(),
      body: JSON.parse(body ?? ''),
      address: asked.findLast(({ pathname }) => pathname.startsWith('/api/'))?.search,
    }
  }

  it('lists every operation', async () => {
    const methods = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options']
    const ids = Object.values(served.document.paths).flatMap((path) =>
      methods.flatMap((method) => path[method]?.operationId ?? []),
    )
    // The first group is open.
    const closed = page.locator('.opblock-tag[data-is-open="false"]')
    while ((await closed.count()) > 0) await closed.first().click()
    const shown = await page.locator('.opblock').evaluateAll((blocks) => blocks.map(({ id }) => id.replace(/.*-/, '')))
    expect(shown.sort()).toEqual(ids.sort())
  })

  it('shows the lookups of parameters after a click', async () => {
    const block = page.locator('[id$="-v3EventsList"].opblock')
    const summary = block.locator('.opblock-summary-control')
    await summary.click()
    const namesIn = () =>
      block.locator('[data-param-name]').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-param-name')))
    await block.locator('.lookups').waitFor()
    const few = await namesIn()
    expect(few).toEqual(expect.arrayContaining(['category', 'event_series', 'near', 'page_size', 'If-Match']))
    expect(few).not.toContain('category__in')
    await block.locator('.lookups').click()
    const { parameters } = served.document.paths['/api/v3/events/']?.get ?? {}
    expect(await namesIn()).toHaveLength(parameters?.length ?? 0)
    await summary.click()
  })

  it('tries out the events', async () => {
    const { status, body, address } = await tryOut('v3EventsList', {
      category__in: 'hurricane and tropical storm',
      timestamp_start__gte: '2017-08-01T00:00:00+02:00',
      page_size: '3',
    })
    expect(decodeURIComponent(address ?? '')).toContain('category__in=hurricane,tropical storm')
    expect([status, body.results.length, body.count]).toEqual(['200', 3, expect.any(Number)])
    const direct = await fetch(`${served.address}/api/v3/events/${address}`, { signal: AbortSignal.timeout(10_000) })
    expect(body).toEqual(await direct.json())
  })

  it('tries out a series', async () => {
    const { status, body } = await tryOut('v4EventseriesItem', { uuid: '99fe5d0' })
    expect([status, body.name]).toEqual(['200', 'Atlantic storms 2010-2020'])
  })

  it('tries out a write with a key', async () => {
    await page.locator('.auth-wrapper .btn.authorize').click()
    await page.locator('#auth-bearer-value').fill(WRITER)
    await page.locator('.auth-btn-wrapper .authorize').first().click()
    await page.locator('.auth-btn-wrapper .btn-done').first().click()
    const { status, body } = await tryOut('v3EventsPost', { 'Idempotency-Key': 'a' })
    expect([status, body.type, body.properties.category]).toEqual(['201', 'Feature', 'earthquake'])
    const changed = await tryOut('v3EventsItemChange', { id: String(body.id) })
    expect([changed.status, changed.body.properties.value]).toEqual(['200', '2.6'])
  })

  it('logs nothing to the console and contacts no other host', () => {
    expect(said).toEqual([])
    expect(asked.length).toBeGreaterThan(5)
    expect(asked.filter(({ origin, protocol }) => origin !== served.address && protocol !== 'data:')).toEqual([])
  })
})
