import type { EventRecord, LoadRecord, SeriesRecord } from '../records.ts'

/** The uuid and the level of each series, by its id. Other series are missing. */
const SERIES: readonly (readonly [beginning: string, level: number])[] = [
  ['aaaaaaaa-0001', 0],
  ['bbbbbbbb-0002', 200],
  ['cccccccc-0003', 0],
  ['dddddddd-0004', 200],
  ['eeeeeeee-0005', 300],
  ['ffffffff-0006', 0],
  ['ffffffff-0007', 300],
  ['abababab-0008', 300],
]

export const uuidsOf = (series: number): string =>
  `${SERIES[series - 1]?.[0] ?? '99999999-0009'}-4000-8000-000000000000`

const TYPE: LoadRecord = { kind: 'observation_type', id: 1, code: 'test', name: 'Test', unit: null }

const SERIES_RECORDS = SERIES.map(
  ([, access_modifier], i): SeriesRecord => ({
    ...{ kind: 'event_series', id: i + 1, uuid: uuidsOf(i + 1), name: `Series ${i + 1}`, description: '' },
    ...{ observation_type: 1, statistic: 'raw', color: '#336699', access_modifier, created: 0, last_modified: null },
  }),
)

/** The five events of a series, such as 30 to 34 of series 3. */
const eventsIn = (series: number): EventRecord[] =>
  [0, 1, 2, 3, 4].map((number) => ({
    ...{
      kind: 'event',
      id: 10 * series + number,
      series,
      category: `category ${number}`,
      value: '1',
      start: 1,
      end: 2,
    },
    ...{ coordinates: [5, 52, 0], object: { model: 'pump', id: 1 } },
    external_id: number === 0 ? `only ${series}` : `e${number}`,
  }))

export const RECORDS: readonly LoadRecord[] = [
  TYPE,
  ...SERIES_RECORDS,
  ...SERIES_RECORDS.flatMap(({ id }) => eventsIn(id)),
]

/** The answer of the key `feed` to a write that it may not do. */
export const REFUSED =
  'This key writes only events and descriptions of the series aaaaaaaa, bbbbbbbb-0002, ffffffff, abababab. Each is the beginning of a uuid that only one series has. For other writes, use a key for all series.'
