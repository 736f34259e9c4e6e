import { existsSync } from 'node:fs'

const NAMED = process.env.CHROMIUM
const CANDIDATES = NAMED ? [NAMED] : ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The path of the browser. Undefined without one. */
export const CHROMIUM = CANDIDATES.find((path) => existsSync(path))

/** Says once for each run that its tests are skipped. */
export default (): void => {
  if (CHROMIUM === undefined) console.warn('There is no Chromium here, so the tests of the page are skipped.')
}

/** The browser reaches no other host, and uses no graphics card. */
export const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--enable-unsafe-swiftshader',
  '--use-angle=swiftshader',
]
