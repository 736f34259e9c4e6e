import { createHash } from 'node:crypto'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { startWorker } from '../worker.ts'
import { CHROMIUM, FLAGS } from './chromium.ts'

/** A key that reads Private series. */
export const KEY = 'key-of-the-tests'
const digestOf = (key: string) => createHash('sha256').update(key).digest('hex')
const API_KEYS = JSON.stringify({
  [digestOf(KEY)]: { read: 'Private', write: false, name: 'tests' },
})

/** A page and its faults. */
export interface Opened {
  readonly page: Page
  /** Errors of the console, errors of scripts, and requests to other hosts. */
  readonly faults: string[]
  readonly close: () => Promise<void>
}

/** Options of a page. */
export interface Looks extends BrowserContextOptions {
  /** False: the page draws no map, which is most of the work without a graphics card. */
  readonly webgl?: boolean
  /** True: a browser without a cache, whose clock and permissions a test may change. */
  readonly fresh?: boolean
}

/** The built Worker on a local database, and a browser. */
export interface Stage {
  readonly address: string
  readonly open: (path: string, options?: Looks) => Promise<Opened>
  readonly close: () => Promise<void>
}

/** Starts the built Worker `script` on the database in a folder, with variables of an operator, and a browser. */
export async function makeStage(
  script: string,
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<Stage> {
  const service = await startWorker(script, folder, { API_KEYS, ...variables }, true)
  const browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: FLAGS })
  const contexts = new Map<string, BrowserContext>()
  return {
    address: service.address,
    open: (path, options) => openPage(browser, contexts, service.address, path, options),
    close: async () => {
      await browser.close()
      await service.close()
    },
  }
}

const WITHOUT_WEBGL = `const { getContext } = HTMLCanvasElement.prototype
HTMLCanvasElement.prototype.getContext = function (type, ...more) {
  return type.startsWith('webgl') ? null : getContext.call(this, type, ...more)
}`

const makeContext = async (browser: Browser, { webgl = true, fresh, ...options }: Looks): Promise<BrowserContext> => {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    acceptDownloads: true,
    ...options,
  })
  if (!webgl) await context.addInitScript(WITHOUT_WEBGL)
  return context
}

/** Opens a page. Pages with the same options share the cache of the browser, so their scripts load in half the time. */
async function openPage(
  browser: Browser,
  contexts: Map<string, BrowserContext>,
  address: string,
  path: string,
  options: Looks = {},
): Promise<Opened> {
  const key = JSON.stringify(options)
  const context = contexts.get(key) ?? (await makeContext(browser, options))
  if (options.fresh !== true) contexts.set(key, context)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()} ${message.location().url}`)
  })
  page.on('pageerror', (error) => faults.push(`script: ${error.stack ?? error.message}`))
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${address}/`) && !/^(blob|data):/.test(url)) faults.push(`request: ${url}`)
  })
  await page.goto(`${address}${path}`)
  const close = async () => {
    if (options.fresh === true) return context.close()
    const tools = await context.newCDPSession(page)
    await tools.send('Storage.clearDataForOrigin', { origin: address, storageTypes: 'local_storage' })
    await page.close()
  }
  return { page, faults, close }
}

export type Color = readonly [red: number, green: number, blue: number]

/** Counts the pixels of a PNG near each color, and all pixels. */
export const countPixels = (page: Page, picture: Buffer, colors: readonly Color[], reach: number) =>
  page.evaluate(
    async ([picture, colors, reach]) => {
      const image = new Image()
      image.src = `data:image/png;base64,${picture}`
      await image.decode()
      const canvas = document.createElement('canvas')
      const { width, height } = Object.assign(canvas, { width: image.width, height: image.height })
      const context = canvas.getContext('2d') as CanvasRenderingContext2D
      context.drawImage(image, 0, 0)
      const { data } = context.getImageData(0, 0, width, height)
      const counts = colors.map(() => 0)
      for (let i = 0; i < data.length; i += 4) {
        const at = colors.findIndex((color) => color.every((part, k) => Math.abs((data[i + k] ?? 0) - part) < reach))
        if (at >= 0) counts[at] = (counts[at] ?? 0) + 1
      }
      return { counts, all: width * height }
    },
    [picture.toString('base64'), colors, reach] as const,
  )

/** Returns the texts that the page writes on canvases from now on. */
export const textsDrawn = async (page: Page): Promise<readonly string[]> => {
  const written: string[] = []
  await page.exposeFunction('note', (text: string) => written.push(text))
  await page.evaluate(() => {
    const { fillText } = CanvasRenderingContext2D.prototype
    CanvasRenderingContext2D.prototype.fillText = function (text, ...at) {
      ;(window as unknown as { note: (text: string) => void }).note(text)
      fillText.call(this, text, ...at)
    }
  })
  return written
}

/** The value in the editor of a filter, by its parameter. */
export const inputOf = (page: Page, name: string) => page.locator(`form.editor [name="${name}"]`)

/** Opens the editor of a field from the menu, and chooses a lookup. */
export const addFilter = async (page: Page, field: string, lookup?: string) => {
  await page.locator('.add').click()
  const button = page.locator(`.fields [data-field="${field}"]`)
  // A list of one series has the fields of all lists in a part that opens.
  if (!(await button.isVisible())) await page.locator('.fields details > summary').click()
  await button.click()
  if (lookup !== undefined) await page.locator('form.editor .lookup').selectOption(lookup)
}

/** Writes a value into the editor, and applies it with Enter. */
export const apply = async (page: Page, text: string) => {
  const value = page.locator('form.editor .value').first()
  await value.fill(text)
  await value.press('Enter')
}

/** Returns the words of the chips. */
export const chipsOf = (page: Page) => page.locator('.chip .words').allInnerTexts()
