import type { LoadRecord } from '../records.ts'
import { type Row, testRows } from './oracle.ts'
import { event, FOUNDATION } from './world.ts'

// Words in texts: other letters, marks, escapes of JSON and numbers.

const VALUES: readonly string[] = [
  'water level', // 1
  'wäter level', // 2
  'wa\u0308ter level', // 3
  'WATERLEVEL', // 4
  'ｗａｔｅｒ', // 5, full width
  '🅆🄰🅃🄴🅁', // 6
  'the ﬁre', // 7
  'a\\water', // 8
  'Straße łódź', // 9
  'water½', // 10
  'äwater', // 11
]
const ATTRIBUTES: readonly Readonly<Record<string, unknown>>[] = [
  { note: 'line\nwater' }, // 12
  { water: 'name alone' }, // 13
  { n: 1000, m: 1.5 }, // 14
  { deep: ['ice'] }, // 15
]

const at = (id: number) => `2020-01-${String(id).padStart(2, '0')}T00:00:00Z`
const RECORDS: readonly LoadRecord[] = [
  ...FOUNDATION,
  ...VALUES.map((value, i) => event(i + 1, at(i + 1), { value })),
  ...ATTRIBUTES.map((attributes, i) => event(i + 12, at(i + 12), { attributes })),
]

const WORDS: readonly Row[] = [
  { asks: 'q=water', finds: [1, 2, 3, 5, 6, 8, 12] },
  { asks: 'q=water*', finds: [1, 2, 3, 4, 5, 6, 8, 10, 12] },
  { asks: 'q="water level"', finds: [1, 2, 3] },
  { asks: 'q=level water', finds: [1, 2, 3] },
  { asks: 'q=fire', finds: [7] },
  { asks: 'q=e', finds: [] },
  { asks: 'q=strasse', finds: [9] },
  { asks: 'q=Łodz', finds: [9] },
  { asks: 'q=1000', finds: [14] },
  { asks: 'q=5', finds: [14] },
  { asks: 'q=flood ice', finds: [15] },
]

testRows(RECORDS, { 'words in texts': WORDS })
