import { ALWAYS, type Condition } from '../../src/question/condition.ts'
import { keyOfDouble, TICKS } from '../../src/question/range.ts'

/** Conditions as data, with the parameters of the list of events that ask for the same. */
const ticks = (iso: string) => BigInt(Date.parse(iso)) * 1000n * TICKS
const TRIANGLE = {
  type: 'Polygon' as const,
  coordinates: [
    [
      [-60, -40],
      [70, -30],
      [10, 60],
      [-60, -40],
    ],
  ],
}
export const text = (
  field: 'category' | 'value' | 'series_name',
  test: 'is' | 'has' | 'starts',
  texts: string[],
  fold: 'upper' | null = null,
) => ({ kind: 'text', field, fold, test, texts }) as const

export const CONDITIONS: readonly (readonly [query: string, where: Condition])[] = [
  ['', ALWAYS],
  ['id__in=1,1500,1501,4000', { kind: 'range', field: 'id', extents: [1n, 1500n, 1501n, 4000n].map((id) => [id, id]) }],
  ['category=flood', text('category', 'is', ['flood'])],
  ['category__iexact=dürre', text('category', 'is', ['DÜRRE'], 'upper')],
  ['category__in__not=flood,drought', { kind: 'unless', of: text('category', 'is', ['flood', 'drought']) }],
  ['category__contains=%_', text('category', 'has', ['%_'])],
  ['category__regex=^[df]', { kind: 'match', field: 'category', pattern: '^[df]', ignoreCase: false }],
  ['value__iexact=0.4 M', text('value', 'is', ['0.4 M'], 'upper')],
  ['value__gte=0.4', { kind: 'range', field: 'value_number', extents: [[keyOfDouble(0.4), null]] }],
  ['attributes__mag=3', { kind: 'equals', attribute: 'mag', values: ['3', 3] }],
  ['attributes__mag__gt=2.5', { kind: 'range', field: { attribute: 'mag' }, extents: [[keyOfDouble(2.5) + 1n, null]] }],
  ['attributes__place__isnull=true', { kind: 'missing', field: { attribute: 'place' } }],
  ['object_type__model__isnull=false', { kind: 'not', of: { kind: 'missing', field: 'object_type' } }],
  [
    'object=pump$12',
    {
      kind: 'all',
      of: [
        { kind: 'range', field: 'object_id', extents: [[12n, 12n]] },
        { kind: 'text', field: 'object_type', fold: null, test: 'is', texts: ['pump'] },
      ],
    },
  ],
  [
    'event_series=2000,2100',
    { kind: 'text', field: 'series_uuid', fold: null, test: 'starts', texts: ['2000', '2100'] },
  ],
  [
    'event_series__access_modifier__not=Public',
    { kind: 'unless', of: { kind: 'range', field: 'series_access_modifier', extents: [[0n, 0n]] } },
  ],
  [
    'event_series__observation_type=other',
    {
      kind: 'any',
      of: [
        { kind: 'range', field: 'series_observation_type', extents: [] },
        { kind: 'text', field: 'series_observation_type_code', fold: null, test: 'is', texts: ['other'] },
      ],
    },
  ],
  [
    'timestamp_start__lt=1969-12-01T00:00:00.0001Z',
    { kind: 'range', field: 'start', extents: [[null, ticks('1969-12-01') + TICKS * 100n - 1n]] },
  ],
  ['duration=P1D', { kind: 'range', field: 'duration', extents: [[ticks('1970-01-02'), ticks('1970-01-02')]] }],
  ['datetime=1969-12-01T00:00:00Z/..', { kind: 'range', field: 'end', extents: [[ticks('1969-12-01'), null]] }],
  ['bbox=170,-50,-120,40', { kind: 'area', of: 'point', area: { box: [170, -50, -120, 40], closed: true } }],
  [
    'geom_within=POLYGON((-60 -40,70 -30,10 60,-60 -40))',
    { kind: 'area', of: 'point', area: { within: TRIANGLE, closed: false } },
  ],
  ['near=5,52&radius=4000000', { kind: 'area', of: 'point', area: { circle: [5, 52], metres: 4_000_000 } }],
  [
    'q=durre m*',
    {
      kind: 'words',
      terms: [
        { words: ['durre'], open: false },
        { words: ['m'], open: true },
      ],
    },
  ],
  ['timestamp_start__range=1970-01-02,1970-01-01', { kind: 'range', field: 'start', extents: [] }],
]
