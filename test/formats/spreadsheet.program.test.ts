import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runService } from '../running.ts'

const isThere = spawnSync('soffice', ['--version']).status === 0
if (!isThere) console.log('Skipped: there is no LibreOffice here. On Debian: apt-get install libreoffice-calc')

const service = runService()
const { folder } = service

interface Cell {
  readonly type: string
  readonly value: string
}

/** LibreOffice proposes these settings when a user opens such a file: commas, quotes and UTF-8. */
const PROPOSED = '--infilter=Text - txt - csv (StarCalc):44,34,76,1'

/** Returns the cells of a file as LibreOffice reads them. */
const cellsOf = (file: string): Cell[][] => {
  const args = [`-env:UserInstallation=file://${folder}/profile`, '--headless', PROPOSED, '--convert-to', 'fods', file]
  const { status } = spawnSync('soffice', args, { cwd: folder, timeout: 100_000 })
  expect(status).toBe(0)
  const text = readFileSync(join(folder, file.replace(/\.\w+$/, '.fods')), 'utf8')
  const rows = text.matchAll(/<table:table-row[^>]*>(.*?)<\/table:table-row>/gs)
  return Array.from(rows, ([, row = '']) =>
    [...row.matchAll(/<table:table-cell([^>]*?)(?:\/>|>(.*?)<\/table:table-cell>)/gs)].flatMap(
      ([, head = '', body]) => {
        const type = /office:value-type="(\w+)"/.exec(head)?.[1] ?? ''
        const value = /office:(?:date-)?value="([^"]*)"/.exec(head)?.[1] ?? body?.replace(/<[^>]*>/g, '').trim() ?? ''
        // Adjacent equal cells are stored once, with their number.
        return Array<Cell>(Number(/number-columns-repeated="(\d+)"/.exec(head)?.[1] ?? 1)).fill({ type, value })
      },
    ),
  )
}

describe.skipIf(!isThere)('LibreOffice reads', () => {
  it.each([
    ['/api/v3/events/?category=hurricane', ['timestamp_start', 'timestamp_end', 'last_modified'], 164],
    ['/api/v3/events/?id__in=1,2', ['timestamp_start', 'timestamp_end'], 2],
    ['/api/v4/eventseries/?page_size=3', ['start', 'end', 'created'], 3],
  ])(
    'the times of %s as times, and the numbers as numbers',
    async (path, times, count) => {
      const answer = async (format: string) => {
        const response = await fetch(
          `${service.address}${path}${path.includes('page_size') ? '' : '&page_size=500'}&format=${format}`,
        )
        expect(response.status).toBe(200)
        return response
      }
      writeFileSync(join(folder, 'events.csv'), Buffer.from(await (await answer('spreadsheet')).arrayBuffer()))
      const [head = [], ...rows] = cellsOf('events.csv').filter((row) => row.length > 1)
      expect(rows).toHaveLength(count)
      const names = head.map(({ value }) => value)
      const csv = (await (await answer('csv')).text()).split('\r\n')
      expect(names).toEqual(csv[0]?.split(','))
      for (const [i, row] of rows.entries())
        for (const name of times) {
          const { type, value } = row[names.indexOf(name)] ?? {}
          expect([i, name, type]).toEqual([i, name, 'date'])
          const wanted = /\d{4}-\d\d-\d\dT[\d:.]+Z/g
          const told = Array.from(csv[i + 1]?.matchAll(wanted) ?? [], ([text]) => Date.parse(text))
          // LibreOffice writes hundredths of a second.
          expect(Math.min(...told.map((at) => Math.abs(at - Date.parse(`${value}Z`))))).toBeLessThanOrEqual(5)
        }
      if (!path.includes('events/')) return
      const longitude = names.indexOf('longitude')
      expect(new Set(rows.map((row) => row[longitude]?.type))).toEqual(new Set(['float']))
    },
    120_000,
  )
})
