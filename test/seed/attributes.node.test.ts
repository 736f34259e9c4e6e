import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { attributeIn, attributeNamesOf } from '../../seed/read/attributes.ts'
import { POINTS } from '../../seed/read/decimal.ts'
import { itemsOf, recognise } from '../../seed/read/items.ts'
import { ColumnStatistics } from '../../seed/read/statistics.ts'
import { makeFolder } from './program.ts'

const at = makeFolder('attributes')

/** Reads the attributes of the events of a file with `--attributes`, and the names that are not loaded. */
const read = async (name: string, content: string, option?: string) => {
  const file = at(name)
  writeFileSync(file, content)
  const attributes = option === undefined ? undefined : attributeNamesOf(option)
  const options = { names: {}, series: 9, newIds: false, attributes }
  const source = { ...(await recognise(file)), file, options, statistics: new ColumnStatistics() }
  const found: unknown[] = []
  for await (const item of itemsOf(source))
    found.push('fault' in item ? item.fault : 'attributes' in item.record ? item.record.attributes : 'absent')
  const lines = source.statistics.lines().filter((line) => !line.startsWith('Times'))
  return { found, unread: [...source.statistics.unread], lines }
}

const feature = (properties: object) =>
  JSON.stringify({ type: 'Feature', geometry: null, properties: { time: '2018-02-06', ...properties } })

describe('GeoJSON', () => {
  const FEATURES = [
    { mag: 4.5, place: 'Skagway', net: { code: 'us' }, url: 'x' },
    { value: 'a', mag: null, attributes: { depth: 1, mag: 5 } },
    { attributes: '{"depth":2}' },
    { category: 'c' },
  ].map(feature)
  it.each<[string | undefined, unknown[], string[]]>([
    [undefined, ['absent', { depth: 1, mag: 5 }, { depth: 2 }, 'absent'], ['mag', 'place', 'net']],
    ['*', [{ mag: 4.5, place: 'Skagway', net: { code: 'us' } }, { depth: 1, mag: null }, { depth: 2 }, null], []],
    ['mag, category', [{ mag: 4.5 }, { depth: 1, mag: null }, { depth: 2 }, { category: 'c' }], ['place', 'net']],
  ])('with --attributes %j', async (option, found, unread) => {
    expect(await read('a.geojsonl', FEATURES.join('\n'), option)).toMatchObject({ found, unread })
  })

  it('with attributes that are too large names the fault', async () => {
    const { found } = await read('b.geojsonl', feature({ text: 'x'.repeat(5000) }), '*')
    expect(found).toEqual([expect.stringMatching(/^"attributes" is .*: enter a JSON object of at most 4096 bytes/)])
  })
})

describe('the report of columns counts numbers and texts', () => {
  it.each<[string, string, string[]]>([
    [
      'in CSV, with a hint at decimal commas',
      'time;lon;lat;value;a\n2018-02-06;5;52;547,9;1\n2018-02-06;5;52;n.b.;\n',
      ['Value: 2 texts ("547,9", "n.b."); for decimal commas use --decimal ,', 'Attribute a: 1 number'],
    ],
    [
      'in CSV, with the first three texts',
      'time,lon,lat,value,a\n2018-02-06,5,52,1,p\n2018-02-06,5,52,2,q\n2018-02-06,5,52,,r\n2018-02-06,5,52,,s\n',
      ['Value: 2 numbers', 'Attribute a: 4 texts ("p", "q", "r", ...)'],
    ],
    [
      'in JSON, with booleans, lists and objects',
      [
        { value: 3, a: true, b: {} },
        { value: '4.5', a: [1], b: '1' },
        { value: '4,5', b: 1 },
      ]
        .map((each) => JSON.stringify({ time: '2018-02-06', ...each }))
        .join('\n'),
      [
        'Value: 2 numbers, 1 text ("4,5")',
        'Attribute a: 1 boolean, 1 list',
        'Attribute b: 1 number, 1 text ("1"), 1 object',
      ],
    ],
  ])('%s', async (_, content, lines) => {
    expect((await read('report', content, '*')).lines).toEqual(lines)
  })
})

describe('an attribute gets a name that filters take', () => {
  it.each<[string, object]>([
    ['Volume (m³)', { Volume_m3: 1 }],
    ['Höhe', { Hohe: 1 }],
    ['a__b_', { a_b: 1 }],
    ['2024', { x2024: 1 }],
    ['a b,a_b,a-b', { a_b: 2, a_b_2: 1, a_b_3: 3 }],
    ['数量', { 数量: 1 }],
  ])('in CSV: %s', async (header, attributes) => {
    const columns = header.split(',')
    const cells = columns.map((_, i) => i + 1)
    const text = `time,lon,lat,${columns}\n2018-02-06,5,52,${cells}\n`
    expect((await read('names.csv', text, '*')).found).toEqual([attributes])
  })

  it('in GeoJSON, the same one in each feature', async () => {
    const features = [{ 'a b': 1 }, { 'a-b': 2, 'a b': 3 }, { 'a-b': 4 }].map(feature)
    expect((await read('names.geojsonl', features.join('\n'), '*')).found).toEqual([
      { a_b: 1 },
      { a_b: 3, a_b_2: 2 },
      { a_b_2: 4 },
    ])
  })
})

describe('CSV', () => {
  const ROWS = `time,lon,lat,mag,place,attributes,url,\n2018-02-06,5,52,4.5,Skagway,,u,n\n2018-02-06,5,52,,007,"{""a"":1}",u,`
  it.each<[string | undefined, unknown[], string[]]>([
    [undefined, [null, { a: 1 }], ['mag', 'place', '']],
    [
      '*',
      [
        { mag: 4.5, place: 'Skagway' },
        { a: 1, place: '007' },
      ],
      [''],
    ],
    ['mag', [{ mag: 4.5 }, { a: 1 }], ['place', '']],
  ])('with --attributes %j', async (option, found, unread) => {
    expect(await read('a.csv', ROWS, option)).toMatchObject({ found, unread })
  })

  it('without a column that --attributes names is a fault', async () => {
    await expect(read('b.csv', ROWS, 'mga')).rejects.toThrow('no column "mga": did you mean mag?')
  })

  it('with a faulty column names the fault', async () => {
    const { found } = await read('c.csv', 'time,lon,lat,attributes\n2018-02-06,5,52,[1]')
    expect(found).toEqual([expect.stringMatching(/^"attributes" is "\[1\]": enter a JSON object/)])
  })

  it.each<[string, unknown]>([
    ['4.5', 4.5],
    ['-1e-3', -0.001],
    ['0', 0],
    ['007', '007'],
    ['+1', '+1'],
    ['1,5', '1,5'],
    ['9007199254740993', '9007199254740993'],
    ['1e400', '1e400'],
    ['true', true],
    ['True', true],
    ['FALSE', false],
    ['1E5', '1E5'],
    ['12e3', '12e3'],
    ['1e-400', '1e-400'],
    ['1.5E3', 1500],
    ['1e+05', 100000],
    ['5.100', 5.1],
    ['3.14159265358979323846', '3.14159265358979323846'],
    ['constructor', 'constructor'],
    ["'=1+1", '=1+1'],
    ['Skagway', 'Skagway'],
  ])('has the cell %j for the value %j', (cell, value) => {
    expect(attributeIn(cell, POINTS)).toEqual(value)
  })

  it.each<[string, unknown]>([
    ['-4,5', -4.5],
    [',5', 0.5],
    ['4', 4],
    ['1.234', '1.234'],
    ['1.234,5', '1.234,5'],
    ['030,12', '030,12'],
  ])('with decimal commas has the cell %j for the value %j', (cell, value) => {
    expect(attributeIn(cell, { decimal: ',', grouped: null })).toEqual(value)
  })
})
