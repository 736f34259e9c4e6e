import { describe, expect, it } from 'vitest'
import {
  classesOf,
  columnsOf,
  columnTitle,
  everyColumn,
  type Field,
  numberIn,
  valueIn,
} from '../../src/formats/columns.ts'
import { valuesOf } from '../../src/formats/flatEvents.ts'

const field = (name: string, column: Field['column'], more: Partial<Field> = {}): Field => ({
  ...{ name, label: [name, `${name} nl`], kind: 'text', group: 'what', lookups: [''], order: name },
  ...(column && { column }),
  ...more,
})
const FIELDS = [
  field('category', 1),
  field('value', 1, { order: 'value_number' }),
  field('timestamp_start', 1, { kind: 'instant' }),
  field('duration', 3, { kind: 'duration' }),
  field('object', 2, { kind: 'object' }),
  field('event_series', 3, { kind: 'uuid prefix' }),
  field('attributes', 2, { kind: 'attributes' }),
  field('q', undefined, { kind: 'words' }),
]

const event = (value: string, attributes: object | null = null, series = 'a') => ({
  type: 'Feature',
  id: 1,
  geometry: { type: 'Point', coordinates: [5, 52] },
  properties: {
    ...{ category: 'flood', value, timestamp_start: '2020-01-01T00:00:00Z', timestamp_end: '2020-01-01T01:00:00Z' },
    ...{ event_series: series, event_series_name: series, object_type: null, object_id: null, attributes },
  },
})

const table = (items: readonly ReturnType<typeof event>[], chosen: readonly string[] | null = null) => ({
  fields: FIELDS,
  rows: items.map(valuesOf),
  described: [],
  chosen,
})
const names = (...asked: Parameters<typeof table>) => columnsOf(table(...asked)).map(({ name }) => name)

describe('the columns of a table', () => {
  it.each([
    ['a text names its row', [event('a storm')], 'value timestamp_start category'],
    ['a number does not', [event('5.5'), event('n.b.'), event('6')], 'timestamp_start value category'],
    [
      'an attribute of any row',
      [event('5', { Town: 'Zeist' }), event('6')],
      'timestamp_start value category attributes__Town',
    ],
    ['an empty one is none', [event('5', { Town: '', Code: null })], 'timestamp_start value category'],
    [
      'an object is none, and a list is',
      [event('5', { A: { b: 1 }, C: [1] })],
      'timestamp_start value category attributes__C',
    ],
    [
      'several series show what most rows have, and the series',
      [event('5', { Town: 'Zeist', Kind: 'a' }), event('6', { Kind: 'b' }, 'b'), event('7', { Kind: 'c' }, 'b')],
      'timestamp_start value category attributes__Kind event_series',
    ],
    [
      'at most eleven',
      [event('5', Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`A${i}`, 'x'])))],
      `timestamp_start value category ${Array.from({ length: 8 }, (_, i) => `attributes__A${i}`).join(' ')}`,
    ],
  ])('%s', (_, items, columns) => expect(names(items)).toEqual(columns.split(' ')))

  it('are the chosen columns in their order, even if they have no value', () => {
    expect(names([event('5')], ['duration', 'attributes__Town', 'value', 'nothing'])).toEqual([
      ...['duration', 'attributes__Town', 'value'],
    ])
    expect(names([event('5', { A: 1, B: 2 })], ['attributes', 'value'])).toEqual([
      'attributes__A',
      'attributes__B',
      'value',
    ])
    expect(names([event('5')], ['nothing'])).toEqual(['timestamp_start', 'value', 'category'])
  })

  it('have the titles and units of a description, and the words of a header in code', () => {
    const described = [
      { name: 'value', title: 'Volume', unit: 'm³' },
      { name: 'timestamp_start', title: 'begin_tijd' },
      { name: 'attributes__max_speed', unit: 'km/u' },
    ]
    const every = everyColumn({ ...table([event('5', { max_speed: 80 })]), described })
    expect(every.filter(({ isOwn }) => isOwn).map((column) => columnTitle(column, 1))).toEqual([
      ...['Begin tijd', 'Volume (m³)', 'Max speed (km/u)'],
    ])
    expect(every.map(({ name }) => name)).not.toContain('q')
  })

  it.each([
    [['1', '2.25', '3.5'], 2],
    [['1', '0.30000000000000004'], 0],
    [['n.b.', '<10', '3'], null],
    [['1.234,5', '3.5'], 1],
    [['12345678901234567890'], null],
  ])('the values %j have %j decimals', (values, decimals) => {
    const [value] = everyColumn(table(values.map((each) => event(each)))).filter(({ name }) => name === 'value')
    expect(value?.decimals).toBe(decimals)
  })

  it('numbers of several series have no decimals in common', () => {
    const every = everyColumn(table([event('1.25'), event('3', null, 'b')]))
    expect(every.find(({ name }) => name === 'value')?.decimals).toBe(0)
  })

  it('the sorted number leads a row on a narrow screen, or else the first one', () => {
    const columns = columnsOf(table([event('5', { Depth: 3, Town: 'Zeist' })]))
    expect(classesOf(columns, '-attributes__Depth')).toEqual(['named', 'number', 'text', 'number lead', 'text'])
    expect(classesOf(columns, 'id')).toEqual(['named', 'number lead', 'text', 'number', 'text'])
  })
})

it.each([
  ['value', '5.5', 5.5],
  ['attributes__n', 7, 7],
  ['attributes__t', undefined, null],
  ['attributes__s', '7', null],
  ['duration', 3_600_000, 3_600_000],
  ['timestamp_start', '2020-01-01T00:00:00Z', null],
])('the column %s of an event has the value %j, and the number %j', (name, value, number) => {
  const values = valuesOf(event('5.5', { n: 7, s: '7', t: '' }))
  const kind = name === 'duration' ? 'duration' : name.startsWith('attributes') ? 'attribute' : 'text'
  expect([valueIn(values, name), numberIn(values, { name, kind })]).toEqual([value, number])
})

it('a thousand rows with a hundred names of their own are counted once, and have few columns', () => {
  const own = (row: number) => Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`a${row}_${i}`, i]))
  const rows = Array.from({ length: 1000 }, (_, row) => event('5', own(row)))
  // The time of a test ends long before a count of each name in each row.
  const parts = table(rows)
  expect([columnsOf(parts).length, everyColumn(parts).length]).toEqual([11, 1006])
})
