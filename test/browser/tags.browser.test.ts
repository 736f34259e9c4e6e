import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describePages, EVENTS, legend } from './pages.ts'

/** An answer of the service. */
interface Seen {
  readonly path: string
  readonly status: number
}

/** Passes requests on to the service, and notes its answers to summaries and tiles. A browser hides which are a 304. */
const watch = async (service: string) => {
  const seen: Seen[] = []
  const server = createServer(({ url: path = '', method, headers }, received) => {
    const passed = request(`${service}${path}`, { method, headers }, (answer) => {
      const { statusCode: status = 0 } = answer
      if (/\/summary\/|\/WebMercatorQuad\/\d/.test(path)) seen.push({ path, status })
      received.writeHead(status, answer.headers)
      answer.pipe(received)
    })
    passed.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { seen, address: `http://127.0.0.1:${port}`, stop: () => server.close() }
}

describePages('tags of summaries and tiles', {}, (pages) => {
  const drawn = async (page: Page) => {
    await expect.poll(() => legend(page)).not.toBe('')
    await page.locator('.plot svg').waitFor()
    await page.waitForLoadState('networkidle')
  }

  it.each([EVENTS, `${EVENTS}?category=hurricane`, '/api/v3/eventseries/99fe5d03/', '/'])(
    'a second look at %s gets no summary and no tile again',
    async (path) => {
      const { page, close } = await pages.open('/api/v3/', { webgl: true })
      const { seen, address, stop } = await watch(pages.address)
      await page.goto(`${address}${path}`)
      await drawn(page)
      for (const kind of ['/summary/', '/WebMercatorQuad/'])
        expect(seen.some(({ path }) => path.includes(kind))).toBe(true)
      const known = new Set(seen.splice(0).map(({ path }) => path))
      await page.reload()
      await drawn(page)
      // The browser shows them for 10 seconds without asking. Then the service sends a 304.
      expect(seen.filter(({ path, status }) => known.has(path) && status !== 304)).toEqual([])
      await close()
      stop()
    },
  )
})
