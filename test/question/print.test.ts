import { expect, it } from 'vitest'
import type { Condition } from '../../src/question/condition.ts'
import { BY_ID } from '../../src/question/question.ts'
import { keyOfDouble, TICKS } from '../../src/question/range.ts'
import { print, printCondition } from './print.ts'

const ticks = (iso: string) => BigInt(Date.parse(iso)) * 1000n * TICKS
const SECOND = 1_000_000n * TICKS

const PRINTED: readonly (readonly [text: string, condition: Condition])[] = [
  ['everything', { kind: 'all', of: [] }],
  ['nothing', { kind: 'any', of: [] }],
  [
    "(upper(category) has 'O''BRIEN' and not (object_type is missing))",
    {
      kind: 'all',
      of: [
        { kind: 'text', field: 'category', fold: 'upper', test: 'has', texts: ["O'BRIEN"] },
        { kind: 'not', of: { kind: 'missing', field: 'object_type' } },
      ],
    },
  ],
  [
    'start from 2018-02-05T00:00:00Z to 2018-02-05T23:59:59.999Z',
    { kind: 'range', field: 'start', extents: [[ticks('2018-02-05'), ticks('2018-02-05T23:59:59.999Z')]] },
  ],
  ['end to 1969-12-31T23:59:59.9Z', { kind: 'range', field: 'end', extents: [[null, -SECOND / 10n]] }],
  [
    'duration from PT-0.5S to PT75720S',
    { kind: 'range', field: 'duration', extents: [[-SECOND / 2n, 75_720n * SECOND]] },
  ],
  [
    'series is 5 or from 7',
    {
      kind: 'range',
      field: 'series',
      extents: [
        [5n, 5n],
        [7n, null],
      ],
    },
  ],
  ['value_number from -0.4', { kind: 'range', field: 'value_number', extents: [[keyOfDouble(-0.4), null]] }],
  [
    'attributes.mag is 4.5',
    { kind: 'range', field: { attribute: 'mag' }, extents: [[keyOfDouble(4.5), keyOfDouble(4.5)]] },
  ],
  ['last_modified in no range', { kind: 'range', field: 'last_modified', extents: [] }],
  [
    "attributes.Gemeente equals 'Utrecht' or 5 or true",
    { kind: 'equals', attribute: 'Gemeente', values: ['Utrecht', 5, true] },
  ],
  [
    'unless (value matches /^M [5-9]/i)',
    { kind: 'unless', of: { kind: 'match', field: 'value', pattern: '^M [5-9]', ignoreCase: true } },
  ],
  [
    '((id % 7) + -object_id) <= 3',
    {
      kind: 'compare',
      operator: '<=',
      left: {
        op: '+',
        of: [
          { op: '%', of: ['id', { number: 7 }] },
          { op: '-', of: ['object_id'] },
        ],
      },
      right: { number: 3 },
    },
  ],
  [
    "casei(series_name) < 'a'",
    { kind: 'compare', operator: '<', left: { fold: 'casei', of: 'series_name' }, right: { text: 'a' } },
  ],
  ['start = end', { kind: 'compare', operator: '=', left: 'start', right: 'end' }],
  [
    '(point in or on the box 3 50 8 54 or place is missing)',
    {
      kind: 'any',
      of: [
        { kind: 'area', of: 'point', area: { box: [3, 50, 8, 54], closed: true } },
        { kind: 'missing', field: 'place' },
      ],
    },
  ],
  [
    'point (within {"type":"Point","coordinates":[5,52]} and outside (at most 10000 m from 5.1 52.1) and nowhere)',
    {
      kind: 'area',
      of: 'point',
      area: {
        all: [
          { within: { type: 'Point', coordinates: [5, 52] }, closed: false },
          { outside: { circle: [5.1, 52.1], metres: 10_000 } },
          { nowhere: true },
        ],
      },
    },
  ],
  [
    "words 'maria' and 'tropical storm' and 'hurr*'",
    {
      kind: 'words',
      terms: [
        { words: ['maria'], open: false },
        { words: ['tropical', 'storm'], open: false },
        { words: ['hurr'], open: true },
      ],
    },
  ],
  [
    '(id is 1) is as true as (nothing)',
    { kind: 'same', one: { kind: 'range', field: 'id', extents: [[1n, 1n]] }, other: { kind: 'any', of: [] } },
  ],
]

it.each(PRINTED)('%s', (text, condition) => {
  expect(printCondition(condition)).toBe(text)
})

it('a question prints its order and its slice', () => {
  const where: Condition = { kind: 'text', field: 'category', fold: null, test: 'is', texts: ['flood'] }
  const near = { by: 'distance', from: [5.1, 52.1], descending: true, nulls: 'last' } as const
  const printed = [
    print({ where, latest: null, order: BY_ID, slice: { from: { offset: 0 }, limit: 10 } }),
    print({ where, latest: 'series', order: near, slice: { from: { after: { value: 2.5, id: 7 } }, limit: 100 } }),
    print({ where, latest: null, order: { ...BY_ID, by: 'value_number' }, slice: { from: 'end', limit: 10 } }),
  ]
  expect(printed.join('\n\n')).toBe(`where category is 'flood'
order by id
10 rows after the first 0

where category is 'flood'
only the latest of each series
order by distance from 5.1 52.1, descending
100 rows after 2.5, id 7

where category is 'flood'
order by value_number
the last slice of 10 rows`)
})
