import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { KEY, makeStage, type Stage, WRITER } from './browser.ts'
import { CHROMIUM } from './chromium.ts'

const EVENTS = '/api/v3/events/'
/** Other programs may use the machine at the same time. */
const PATIENCE = { timeout: 20_000 }

/** An answer to the page. Two answers have one id if the browser had the second in its cache. */
interface Seen {
  readonly kind: 'summary' | 'tile'
  readonly address: string
  readonly isPinned: boolean
  readonly status: number
  readonly id: string
}

describe.skipIf(CHROMIUM === undefined)('pinned summaries and tiles (skipped without Chromium)', () => {
  let stage: Stage

  beforeAll(async () => {
    stage = await makeStage(inject('worker'))
  })
  afterAll(() => stage?.close())

  /** Notes the summaries and tiles that a page gets. */
  const watch = (page: Page): Seen[] => {
    const seen: Seen[] = []
    page.on('response', (response) => {
      const { pathname, search } = new URL(response.url())
      const kind = pathname.endsWith('/summary/') ? 'summary' : /\/WebMercatorQuad\/\d/.test(pathname) ? 'tile' : null
      const id = response.headers()['x-request-id'] ?? ''
      const isPinned = /[?&]state=\d+-[0-9a-z]+-[0-9a-f]{8}(&|$)/.test(search)
      const address = pathname + search
      if (kind !== null) seen.push({ kind, address, isPinned, status: response.status(), id })
    })
    return seen
  }

  const legend = (page: Page) => page.locator('.map-legend').innerText()
  const drawn = async (page: Page) => {
    await page.getByRole('region', { name: 'Over time' }).waitFor()
    await expect.poll(() => legend(page), PATIENCE).not.toBe('')
  }

  /** Stores an event, as a feed does. */
  const store = async () => {
    const body = {
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [-70, 25, 0] },
      properties: { category: 'hurricane', value: 'new', timestamp_start: Date.UTC(2019, 5, 1), event_series: 1 },
    }
    const headers = { Authorization: `Bearer ${WRITER}`, 'Content-Type': 'application/json' }
    const response = await fetch(`${stage.address}${EVENTS}`, { method: 'POST', headers, body: JSON.stringify(body) })
    expect([response.status, await response.text()]).toMatchObject([201, expect.anything()])
  }

  const shown = (seen: readonly Seen[], kind: Seen['kind']) => seen.filter((each) => each.kind === kind)

  it.each([EVENTS, `${EVENTS}?category=hurricane`, '/api/v3/eventseries/99fe5d03/', '/'])(
    'a second look at %s gets them from the cache of the browser',
    async (path) => {
      const { page, faults, close } = await stage.open('/api/v3/')
      const first = watch(page)
      await page.goto(`${stage.address}${path}`)
      await drawn(page)
      const known = new Map(first.map(({ address, id }) => [address, id]))
      const second = watch(page)
      await page.reload()
      await drawn(page)
      for (const kind of ['summary', 'tile'] as const) {
        // The reload may have stopped the last tiles of the first look.
        const again = shown(second, kind).filter(({ address }) => known.has(address))
        expect(again.length).toBeGreaterThan(0)
        for (const { address, isPinned: is, status, id } of again) {
          // The home page has no state before its first summary, which has one bin.
          const isPinned = path !== '/' || !address.includes('bins=1&')
          expect([address, is, status, is ? id : '']).toEqual([address, isPinned, 200, is ? known.get(address) : ''])
        }
      }
      expect(faults).toEqual([])
      await close()
    },
  )

  it('after a write, the page shows the new data without the state', async () => {
    const { page, faults, close } = await stage.open('/api/v3/')
    const seen = watch(page)
    await page.route('**/summary/**', async (route) => {
      if (route.request().url().includes('state=')) await store()
      await route.continue()
    })
    await page.goto(`${stage.address}${EVENTS}?category=hurricane`)
    await drawn(page)
    const summaries = shown(seen, 'summary').map(({ isPinned, status }) => ({ isPinned, status }))
    expect(summaries).toContainEqual({ isPinned: true, status: 409 })
    expect(summaries.filter(({ isPinned }) => !isPinned)).toHaveLength(summaries.length / 2)
    expect(summaries).toEqual(summaries.map(({ isPinned }) => ({ isPinned, status: isPinned ? 409 : 200 })))
    await store()
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await expect
      .poll(() => shown(seen, 'tile').filter(({ isPinned, status }) => !isPinned && status === 200).length, PATIENCE)
      .toBeGreaterThan(0)
    await drawn(page)
    const zoomed = seen.length
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await expect.poll(() => seen.length, PATIENCE).toBeGreaterThan(zoomed)
    expect(seen.slice(zoomed).every(({ isPinned, status }) => !isPinned && status === 200)).toBe(true)
    expect(faults.filter((fault) => !fault.includes('409'))).toEqual([])
    await close()
  })

  it('with a key nothing is pinned, because the browser stores no answer', async () => {
    const { page, faults, close } = await stage.open('/api/v3/')
    await page.evaluate((key) => sessionStorage.setItem('key', key), KEY)
    const seen = watch(page)
    await page.goto(`${stage.address}${EVENTS}?category=hurricane`)
    await drawn(page)
    // The page without the key asks first, and is replaced.
    await expect.poll(() => shown(seen, 'tile').length, PATIENCE).toBeGreaterThan(0)
    expect(seen.filter(({ isPinned, status }) => isPinned || status !== 200)).toEqual([])
    expect(faults).toEqual([])
    await close()
  })
})
