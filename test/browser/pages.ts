import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject } from 'vitest'
import { loadFiles } from '../../seed/load/files.ts'
import { openDatabase } from '../../seed/local/database.ts'
import { type Looks, makeStage, type Opened, type Stage } from './browser.ts'
import { CHROMIUM } from './chromium.ts'

export const EVENTS = '/api/v3/events/'
/** The series of the Atlantic storms. */
export const STORMS = '99fe5d03-893d-5b20-8244-b9189db33e37'
/** A series of sewer overflows, which is not in the default data. */
export const OVERFLOWS = '00000000-0000-4000-8000-000000000071'
export const SERIES = {
  ...{ kind: 'event_series', id: 71, uuid: OVERFLOWS, name: 'Riooloverstorten', description: '' },
  ...{ observation_type: 1, statistic: 'raw', color: '#3366cc', access_modifier: 'Public' },
  ...{ created: '2026-01-01T00:00:00Z', last_modified: null },
}
export const DUTCH = { locale: 'nl-NL' }

type Act = (page: Page, opened: Opened) => Promise<void>

/** The pages of a service. They have no map unless a test asks for `webgl`. */
export interface Pages {
  /** The address of the service, for use inside a test. */
  readonly address: string
  readonly open: Stage['open']
  /** Opens a page, and closes it after `act`. Faults other than `errors` fail the test. */
  readonly look: (path: string, act: Act, options?: Looks & { readonly errors?: RegExp }) => Promise<void>
}

interface Setup {
  /** Records beside the default data. */
  readonly records?: readonly object[]
  /** Variables of the operator. */
  readonly variables?: Readonly<Record<string, string>>
}

/** Describes the pages of one service, which all tests of a file share. */
export const describePages = (title: string, setup: Setup, tests: (pages: Pages) => void) =>
  describe.skipIf(CHROMIUM === undefined)(`${title} (skipped without Chromium)`, () => {
    let stage: Stage
    let folder: string
    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'page-'))
      cpSync(inject('seeded'), folder, { recursive: true })
      if (setup.records !== undefined) await loadRecords(folder, setup.records)
      stage = await makeStage(inject('worker'), folder, setup.variables)
    })
    afterAll(async () => {
      await stage?.close()
      rmSync(folder, { recursive: true })
    })
    const open: Pages['open'] = (path, options) => stage.open(path, { webgl: false, ...options })
    tests({
      get address() {
        return stage.address
      },
      open,
      look: async (path, act, { errors = /$^/, ...options } = {}) => {
        const opened = await open(path, options)
        const { page, faults, close } = opened
        try {
          await act(page, opened).catch(async (error: Error) => {
            // A time-out alone does not say what the page shows.
            error.message += `\n${faults.join('\n')}\n${await page.locator('body').innerText()}`
            throw error
          })
          expect(faults.filter((fault) => !errors.test(fault))).toEqual([])
        } finally {
          await close()
        }
      },
    })
  })

const loadRecords = async (folder: string, records: readonly object[]): Promise<void> => {
  const file = join(folder, 'more.ndjson')
  writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  const { db, write, close } = await openDatabase(folder)
  await loadFiles(db, [file], { write })
  await close()
}

/** Waits for the heading with the number of rows. */
export const count = (page: Page, text: string) => page.getByRole('heading', { name: text, exact: true }).waitFor()

/** Returns the number of rows that the title of a list shows. */
export const counted = (page: Page) => page.locator('.count').innerText()

/** Returns the parameters of the address. */
export const query = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

/** Returns the words of the legend of the map. They are empty until it is drawn. */
export const legend = (page: Page) => page.locator('.map-legend').innerText()
