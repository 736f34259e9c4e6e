import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LoadOptions } from '../../seed/load/files.ts'
import { loadFiles } from '../../seed/load/files.ts'
import { type Local, openDatabase } from '../../seed/local/database.ts'

const folder = mkdtempSync(join(tmpdir(), 'rejects-'))
let local: Local

beforeAll(async () => {
  local = await openDatabase(join(folder, 'state'))
})
afterAll(async () => {
  await local.close()
  rmSync(folder, { recursive: true })
})

const load = async (name: string, content: string | Buffer, options: LoadOptions) => {
  const [file, rejects] = [join(folder, name), join(folder, `rejects-${name}`)]
  writeFileSync(file, content)
  const { totals, faultCount } = await loadFiles(local.db, [file], { rejects, ...options })
  return { loaded: totals.event, faults: faultCount, rejects: readFileSync(rejects, 'utf8') }
}

const feature = (start: string, rest = '') =>
  `{"type":"Feature","geometry":null,"properties":{"start":"${start}"}${rest}}`
const record = (id: number, series: number) =>
  `{"kind":"event","id":${id},"series":${series},"category":"","value":"","start":0,"end":0,"coordinates":null,"object":null}`

describe('rejected rows are written to a file in the same format', () => {
  it.each<[string, string | Buffer, LoadOptions, { loaded: number; faults: number; rejects: string }]>([
    [
      'a.csv',
      'x;y;start;remark\n5,5;52,5;1970-01-01;fine\n5,5;;1970-01-01;"a; ""b"""\n5,5;52,5;soon;c\n',
      { series: 'CSV' },
      {
        loaded: 1,
        faults: 2,
        rejects: expect.stringMatching(
          /^x,y,start,remark,fault\r\n"5,5",,1970-01-01,"a; ""b""","""x, y"".*"\r\n"5,5","52,5",soon,c,"""start"".*"\r\n$/,
        ),
      },
    ],
    [
      'whole.csv',
      'x,y,start\n5,52,1970-01-01\n',
      { series: 'CSV' },
      { loaded: 1, faults: 0, rejects: 'x,y,start,fault\r\n' },
    ],
    [
      'a.geojsonl',
      `${feature('1970-01-01')}\n${feature('soon')}\n{"type":\n`,
      { series: 'Lines' },
      {
        loaded: 1,
        faults: 2,
        rejects: expect.stringMatching(
          /^{"type":"Feature",.*{"start":"soon"},"fault":".*enter ISO 8601.*"}\n{"type":\n$/,
        ),
      },
    ],
    [
      'a.geojson',
      `{"type":"FeatureCollection","features":[${feature('soon')},${feature('1970-01-01')}]}`,
      { series: 'Collection' },
      { loaded: 1, faults: 1, rejects: expect.stringContaining(',"fault":') },
    ],
    ['a.ndjson', `${record(1, 99)}\n`, {}, { loaded: 0, faults: 1, rejects: `${record(1, 99)}\n` }],
    [
      'latin.geojsonl',
      Buffer.concat([Buffer.from(`${feature('1970-01-01')}\n`), Buffer.from(feature('\xe9'), 'latin1')]),
      { series: 'Lines' },
      { loaded: 1, faults: 1, rejects: expect.stringContaining('"start":"\ufffd"') },
    ],
  ])('%s', async (name, content, options, expected) => {
    expect(await load(name, content, options)).toEqual(expected)
  })

  it('the file of rejected rows can be corrected and loaded', async () => {
    const { rejects } = await load('b.csv', 'id,x,y,start\na,5,52,1970-01-01\nb,5,52,soon\n', {
      series: 'B',
      key: 'id',
    })
    const corrected = rejects.replace('soon', '1970-01-02')
    expect(await load('c.csv', corrected, { series: 'B', key: 'id' })).toMatchObject({ loaded: 1, faults: 0 })
  })
})

describe('the option --rejects is refused for', () => {
  it.each([
    ['several files', ['x.csv', 'y.csv'], 'z.csv', '--rejects needs the format of one FILE: load one file at a time'],
    ['its own FILE', ['x.csv'], 'x.csv', 'x.csv: enter another name'],
  ])('%s', async (_, names, rejects, message) => {
    const files = names.map((name) => join(folder, name))
    for (const file of files) writeFileSync(file, 'x,y,start\n')
    await expect(loadFiles(local.db, files, { rejects: join(folder, rejects) })).rejects.toThrow(message)
  })
})
