import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { LoadOptions } from '../../seed/load/files.ts'
import { loadFiles } from '../../seed/load/files.ts'
import { openLocal } from './loading.ts'

const { at, db } = openLocal('rejects')

const load = async (name: string, content: string | Buffer, options: LoadOptions) => {
  const [file, rejects] = [at(name), at(`rejects-${name}`)]
  writeFileSync(file, content)
  const { totals, faultCount } = await loadFiles(db(), [file], { rejects, ...options })
  return { loaded: totals.event, faults: faultCount, rejects: readFileSync(rejects) }
}

const feature = (start: string, rest = '') =>
  `{"type":"Feature","geometry":null,"properties":{"start":"${start}"}${rest}}`
const record = (id: number, series: number) =>
  `{"kind":"event","id":${id},"series":${series},"category":"","value":"","start":0,"end":0,"coordinates":null,"object":null}`
const SOON = String.raw`"load_fault":"\\"start\\" is \\"soon\\": enter ISO 8601[^\n]*"`
const SEPARATOR = '\x1e'
const CRS = '"crs":{"type":"name","properties":{"name":"EPSG:28992"}}'

describe('rejected records keep the form of their file, and the same command reads them', () => {
  it.each<[string, string | Buffer, LoadOptions, number, number, RegExp]>([
    [
      'a.csv',
      'x;y;start;remark\n5,5;52,5;1970-01-01;fine\n5,5;;1970-01-01;"a; ""b"""\n5,5;52,5;soon;c\n',
      { series: 'CSV', attributes: '*' },
      1,
      2,
      /^x;y;start;remark;load_fault\r\n5,5;;1970-01-01;"a; ""b""";"""x, y"".*"\r\n5,5;52,5;soon;c;"""start"".*"\r\n$/,
    ],
    [
      'short.csv',
      'x,y,start,value\n5,52,1970-01-01\n5,52,1970-01-01,a,b\n5,52,1970-01-01,a\n',
      { series: 'Short' },
      1,
      2,
      /^x,y,start,value,load_fault\r\n5,52,1970-01-01,"3 cells.*"\r\n5,52,1970-01-01,a,b,"5 cells.*"\r\n$/,
    ],
    [
      'sep.csv',
      'sep=;\r\nx;y;start\r\n5;52;soon\r\n',
      { series: 'CSV' },
      0,
      1,
      /^sep=;\r\nx;y;start;load_fault\r\n5;52;soon;/,
    ],
    ['above.csv', 'A, B\n\nx,y,start\n5,52,soon\n', { series: 'CSV' }, 0, 1, /^x,y,start,load_fault\r\n5,52,soon,/],
    [
      'skipped.csv',
      'A, B, C\nx,y,start\n5,52,soon\n',
      { series: 'CSV', layout: { skipLines: '1' } },
      0,
      1,
      /^A, B, C\nx,y,start,load_fault\r\n5,52,soon,/,
    ],
    [
      'quotes.tsv',
      'x\ty\tstart\tvalue\n5\t52\tsoon\t6" pipe\n',
      { series: 'CSV' },
      0,
      1,
      /^x\ty\tstart\tvalue\tload_fault\r\n5\t52\tsoon\t6" pipe\t"start" is "soon"/,
    ],
    ['whole.csv', 'x,y,start\n5,52,1970-01-01\n', { series: 'CSV' }, 1, 0, /^x,y,start,load_fault\r\n$/],
    ['bom.csv', '\ufeffx,y,start\n5,52,soon\n', { series: 'CSV' }, 0, 1, /^\ufeffx,y,start,load_fault\r\n5,52,soon,/],
    [
      'a.geojsonl',
      `${feature('1970-01-01')}\n${feature('soon')}\n{"type":\n`,
      { series: 'Lines' },
      1,
      2,
      new RegExp(`^{"type":"Feature",.*{"start":"soon"},${SOON}}\n{"type":\n$`),
    ],
    [
      'a.geojson',
      `{"type":"FeatureCollection",${CRS},"features":[${feature('soon')},${feature('1970-01-01')},${feature('soon')}]}`,
      { series: 'Collection' },
      1,
      2,
      new RegExp(`^{"type":"FeatureCollection",${CRS},"features":\\[\n{.*${SOON}},\n{"type":"Feature",.*}\n\\]}\n$`),
    ],
    [
      'a.geojsons',
      ['1970-01-01', 'soon', 'soon'].map((start) => `${SEPARATOR}${feature(start)}\n`).join(''),
      { series: 'Sequence', format: 'geojsonseq' },
      1,
      2,
      new RegExp(`^(${SEPARATOR}{"type":"Feature",.*}\n){2}$`),
    ],
    [
      'objects.json',
      '{"time":"1970-01-01","mag":1}\n{"time":"soon","mag":2}\n',
      { series: 'Objects', attributes: '*' },
      1,
      1,
      /^{"time":"soon","mag":2,"load_fault":".*"}\n$/,
    ],
    ['a.ndjson', `${record(1, 99)}\n`, {}, 0, 1, new RegExp(`^${record(1, 99)}\n$`)],
    [
      'latin.geojsonl',
      Buffer.concat([Buffer.from(`${feature('1970-01-01')}\n`), Buffer.from(feature('\xe9'), 'latin1')]),
      { series: 'Lines' },
      1,
      1,
      /"start":"\ufffd"/,
    ],
  ])('%s', async (name, content, options, loaded, faults, form) => {
    const { rejects, ...counts } = await load(name, content, options)
    expect(counts).toEqual({ loaded, faults })
    expect(rejects.toString()).toMatch(form)
    if (faults > 0) expect((await load(`again-${name}`, rejects, options)).faults).toBe(faults)
  })

  describe('a text over its limit names its field, its characters and the limit', () => {
    const [long, short] = ['x'.repeat(10_001), 'x'.repeat(10_000)]
    const withValue = (value: string) => feature('1970-01-01').replace('"start"', `"value":"${value}","start"`)
    const recordOf = (value: string) => record(10_000, 1).replace('"value":""', `"value":"${value}"`)

    it.each<[string, (value: string) => string]>([
      ['long.csv', (value) => `x,y,start,value\n5,52,1970-01-01,${value}\n`],
      ['long.geojson', (value) => `{"type":"FeatureCollection","features":[${withValue(value)}]}`],
      ['long.geojsonl', (value) => `${withValue(value)}\n`],
      ['long.geojsons', (value) => `${SEPARATOR}${withValue(value)}\n`],
      ['long.json', (value) => `{"time":"1970-01-01","value":"${value}"}\n`],
      ['long.ndjson', recordOf],
    ])('%s', async (name, contentOf) => {
      const options = name.endsWith('.ndjson') ? {} : { series: 'Long' }
      const { rejects, ...counts } = await load(name, contentOf(long), options)
      expect([counts, rejects.includes(long)]).toEqual([{ loaded: 0, faults: 1 }, true])
      const whole = loadFiles(db(), [at(name)], options)
      await expect(whole).rejects.toThrow('"value" has 10,001 characters: enter at most 10,000')
      expect(await load(name, contentOf(short), options)).toMatchObject({ loaded: 1, faults: 0 })
    })
  })

  it.each([
    ['windows-1252', Buffer.from('x;y;start;value\n5;52;soon;\x80 \x96 \xe9\n', 'latin1')],
    ['iso-8859-15', Buffer.from('x;y;start;value\n5;52;soon;\xa4\n', 'latin1')],
    ['utf-16le', Buffer.from('\ufeffx;y;start;value\n5;52;soon;€\n', 'utf16le')],
    ['utf-16be', Buffer.from('x;y;start;value\n5;52;soon;€\n', 'utf16le').swap16()],
    ['shift_jis', Buffer.from('x;y;start;value\n5;52;soon;\x93\xfa\x96\x7b\n', 'latin1')],
  ])('with --encoding %s', async (encoding, content) => {
    const options = { series: 'Encoded', encoding }
    const { rejects } = await load(`${encoding}.csv`, content, options)
    const textOf = (bytes: Buffer) => new TextDecoder(encoding, { ignoreBOM: true, fatal: true }).decode(bytes)
    const [header, row] = textOf(content).split('\n')
    const [newHeader, newRow] = textOf(rejects).split('\r\n')
    expect(newHeader).toBe(`${header};load_fault`)
    expect(newRow?.startsWith(`${row};"""start"" is`)).toBe(true)
    expect((await load(`again-${encoding}.csv`, rejects, options)).rejects).toEqual(rejects)
  })

  it('the file of rejected rows can be corrected and loaded', async () => {
    const { rejects } = await load('b.csv', 'id,x,y,start\na,5,52,1970-01-01\nb,5,52,soon\n', {
      series: 'B',
      key: 'id',
    })
    const corrected = rejects.toString().replace('soon', '1970-01-02')
    expect(await load('c.csv', corrected, { series: 'B', key: 'id' })).toMatchObject({ loaded: 1, faults: 0 })
  })
})

describe('the option --rejects is refused for', () => {
  it.each([
    ['several files', ['x.csv', 'y.csv'], 'z.csv', '--rejects needs the format of one FILE: load one file at a time'],
    ['its own FILE', ['x.csv'], 'x.csv', 'x.csv: enter another name'],
  ])('%s', async (_, names, rejects, message) => {
    const files = names.map((name) => at(name))
    for (const file of files) writeFileSync(file, 'x,y,start\n')
    await expect(loadFiles(db(), files, { rejects: at(rejects) })).rejects.toThrow(message)
  })
})
