import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { makeStage, type Stage, WRITER } from './browser.ts'
import { CHROMIUM } from './chromium.ts'

const EVENTS = '/api/v3/events/'
/** Other programs may use the machine at the same time. */
const PATIENCE = { timeout: 20_000 }

/** An answer to the page. `status` is that of the service, and 304 if the browser had the answer. */
interface Seen {
  readonly address: string
  readonly status: number
}

describe.skipIf(CHROMIUM === undefined)('tags of summaries and tiles (skipped without Chromium)', () => {
  let stage: Stage

  beforeAll(async () => {
    stage = await makeStage(inject('worker'))
  })
  afterAll(() => stage?.close())

  /** Notes the summaries and tiles that a page gets. */
  const watch = async (page: Page): Promise<Seen[]> => {
    const seen: Seen[] = []
    const addresses = new Map<string, string>()
    const session = await page.context().newCDPSession(page)
    await session.send('Network.enable')
    session.on('Network.requestWillBeSent', ({ requestId, request }) => addresses.set(requestId, request.url))
    session.on('Network.responseReceivedExtraInfo', ({ requestId, statusCode }) => {
      const address = addresses.get(requestId) ?? ''
      if (/\/summary\/|\/WebMercatorQuad\/\d/.test(address)) seen.push({ address, status: statusCode })
    })
    return seen
  }

  /** Waits until a page has both, and perhaps more. */
  const drawn = async (page: Page, seen: readonly Seen[]) => {
    for (const kind of ['/summary/', '/WebMercatorQuad/'])
      await expect.poll(() => seen.some(({ address }) => address.includes(kind)), PATIENCE).toBe(true)
    await page.waitForLoadState('networkidle')
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

  it.each([EVENTS, `${EVENTS}?category=hurricane`, '/api/v3/eventseries/99fe5d03/', '/'])(
    'a second look at %s asks if they changed, and gets them after a write',
    async (path) => {
      const { page, faults, close } = await stage.open('/api/v3/')
      const seen = await watch(page)
      await page.goto(`${stage.address}${path}`)
      await drawn(page, seen)
      const known = new Set(seen.map(({ address }) => address))
      const look = async () => {
        seen.length = 0
        await page.reload()
        await drawn(page, seen)
        return [...new Set(seen.filter(({ address }) => known.has(address)).map(({ status }) => status))]
      }
      expect(await look()).toEqual([304])
      await store()
      expect(await look()).toEqual([200])
      expect(faults).toEqual([])
      await close()
    },
  )
})
