import { existsSync } from 'node:fs'

const NAMED = process.env.CHROMIUM
const CANDIDATES = NAMED ? [NAMED] : ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']

/** The browser to look with; undefined: there is none here. */
export const CHROMIUM = CANDIDATES.find((path) => existsSync(path))

/** Says once for a run that its tests are skipped. */
export default (): void => {
  if (CHROMIUM === undefined) console.warn('There is no Chromium here, so the tests of the page are skipped.')
}

/** It is on its own: no other host, no graphics card. */
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
