import type { EventRecord, LoadRecord } from '../records.ts'
import { type Row, testRows } from './oracle.ts'
import { event, FOUNDATION, series } from './world.ts'

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

/** Texts in the other columns. Only hidden events have the word quake. */
const OTHERS: readonly Partial<EventRecord>[] = [
  { value: 'Maria 2017: 150 kn', category: 'Tropical Storm', object: { model: 'pump_station', id: 1 } }, // 16
  { value: 'maría', category: 'tropical-storm warning', series: 2 }, // 17
  { value: 'mar_ia', category: 'storm tropical', external_id: 'us-FLOOD_11' }, // 18
  { value: 'École ﬁre', attributes: { town: 'Sint-Maria', maria: 1, depth: 2017.25 } }, // 19
  { value: 'ΣΊΣΥΦΟΣ', attributes: { notes: { seen: ['storm "tropical"', 'tropical\nÉcole'], flag: true } } }, // 20
  { value: '洪水 警报', attributes: { first: 'tropical', second: 'storm' } }, // 21
  { value: "l'été", series: 2 }, // 22
  { value: 'a\u0301b 5½', category: 'Überflutung' }, // 23
  { value: `${'long text '.repeat(400)}maria` }, // 24
  { value: 'quake maria', series: 3, object: { model: 'quake_sensor', id: 1 } }, // 25
  { value: 'tropicalstorm' }, // 26
]

const at = (id: number) => `2020-01-${String(id).padStart(2, '0')}T00:00:00Z`
const RECORDS: readonly LoadRecord[] = [
  ...FOUNDATION,
  ...VALUES.map((value, i) => event(i + 1, at(i + 1), { value })),
  ...ATTRIBUTES.map((attributes, i) => event(i + 12, at(i + 12), { attributes })),
  ...[series(2, 'Stürme: Nordsee 2010-2020', 0), series(3, 'Secret', 300)],
  ...OTHERS.map((more, i) => event(i + 16, at(i + 16), { category: 'none', ...more })),
]

const hidden = (asks: string, ...finds: readonly number[]): Row => ({ asks, finds, level: 'Hidden' })

const WORDS: readonly Row[] = [
  { asks: 'q=water', finds: [1, 2, 3, 5, 6, 8, 12] },
  { asks: 'q=water*', finds: [1, 2, 3, 4, 5, 6, 8, 10, 12] },
  { asks: 'q="water level"', finds: [1, 2, 3] },
  { asks: 'q=level water', finds: [1, 2, 3] },
  { asks: 'q=fire', finds: [7, 19] },
  { asks: 'q=e', finds: [] },
  { asks: 'q=strasse', finds: [9] },
  { asks: 'q=Łodz', finds: [9] },
  { asks: 'q=1000', finds: [14] },
  { asks: 'q=5', finds: [14] },
  { asks: 'q=flood ice', finds: [15] },
  { asks: 'q=maria', finds: [16, 17, 19, 24] },
  hidden('q=maria', 16, 17, 19, 24, 25),
  { asks: 'q=mar*', finds: [16, 17, 18, 19, 24] },
  { asks: 'q=MARÍA storm', finds: [16, 17] },
  { asks: 'q="tropical storm"', finds: [16, 17] },
  { asks: 'q=“Tropical Storm” 2017', finds: [16] },
  { asks: 'q=tropical storm', finds: [16, 17, 18, 20, 21] },
  { asks: 'q="storm warning"', finds: [17] },
  { asks: 'q=pump', finds: [16] },
  { asks: 'q=station 150', finds: [16] },
  { asks: 'q="us flood 11"', finds: [18] },
  { asks: 'q=us flo*', finds: [18] },
  { asks: 'q=ecole FIRE', finds: [19] },
  { asks: 'q=sint maria', finds: [19] },
  { asks: 'q="2017 25"', finds: [19] },
  { asks: 'q=town', finds: [] },
  { asks: 'q=σίσυφος', finds: [20] },
  { asks: 'q="tropical ecole"', finds: [20] },
  { asks: 'q=true', finds: [] },
  { asks: 'q=洪水', finds: [21] },
  { asks: 'q=洪*', finds: [21] },
  { asks: 'q=sturme nord*', finds: [17, 22] },
  { asks: 'q=2010', finds: [17, 22] },
  { asks: 'q="l été"', finds: [22] },
  { asks: 'q=ab', finds: [23] },
  { asks: 'q=uberflutung', finds: [23] },
  { asks: 'q=u*', finds: [18, 23] },
  { asks: 'q="text maria"', finds: [24] },
  { asks: 'q=quake', finds: [] },
  hidden('q=quake', 25),
  hidden('q=secret quake_sensor', 25),
  { asks: 'q=nothing', finds: [] },
  { asks: 'q=maria&category__not=none', finds: [16, 17] },
  { asks: 'q=maria&event_series__id=1&value__iregex=^l', finds: [24] },
  { asks: 'q=storm&start__lt=2020-01-18', finds: [16, 17] },
  { asks: 'q=maria&bbox=0,50,4,54', finds: [] },
  { asks: `q=${Array.from({ length: 20 }, (_, i) => 'w'.repeat(60) + i).join(' ')}`, finds: [] },
  { asks: '/api/v4/eventseries/a0000000-0000-4000-8000-000000000002/events/?q=sturme maria', finds: [17] },
  { asks: '/ogc/collections/events/items?q=maria', finds: [16, 17, 19, 24] },
]

testRows(RECORDS, { 'words in texts': WORDS })
