import type { ObservationTypeRecord } from '../records.ts'
import { type Row, testRows } from './oracle.ts'
import { event, series } from './world.ts'

// Series, observation types, levels of access and objects, as filters name them.

/** The code of the third type is the id of the first. Two types have one code. */
const CODES = ['wind_speed', 'water_level', '1', 'twin', 'twin', 'Wind_speed', ' padded', 'é,ü']
const UUIDS = [
  '99fe5d03-893d-5b20-8244-b9189db33e37',
  '99fe5d03-893d-5b20-8244-b9189db33e38',
  '99fe5d03-8000-5b20-8244-b9189db33e37',
  '99fe5d04-0000-0000-0000-000000000000',
  '9a000000-0000-4000-8000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  'fffffff0-0000-4000-8000-000000000000',
  'c0ffee00-0000-4000-8000-000000000000',
]
const HIDDEN = [
  'abc00000-0000-4000-8000-000000000000',
  'abc10000-0000-4000-8000-000000000000',
  'abc20000-0000-4000-8000-000000000000',
]
const OBJECTS = [
  { model: 'storm', id: 7 },
  { model: 'storm', id: 8 },
  { model: 'airport', id: 7 },
  { model: 'storm_surge', id: 7 },
  { model: 'storm', id: -7 },
  { model: 'storm', id: 2 ** 53 - 1 },
  null,
]
const START = '2020-01-01'

/** Event i is in series i. Series 1 to 8 are public, and 9 to 11 are Common, Private and Hidden. */
const RECORDS = [
  ...CODES.map(
    (code, i): ObservationTypeRecord => ({ kind: 'observation_type', id: i + 1, code, name: code, unit: null }),
  ),
  ...UUIDS.map((uuid, i) => series(i + 1, `s${i + 1}`, 0, { uuid, observation_type: i + 1 })),
  ...HIDDEN.map((uuid, i) => series(9 + i, `s${9 + i}`, 100 * (i + 1), { uuid, observation_type: 1 + i })),
  ...[...UUIDS, ...HIDDEN].map((_, i) =>
    event(i + 1, START, { series: i + 1, external_id: i < 8 ? 'shared' : `of ${i}` }),
  ),
  event(12, START, { series: 11, external_id: 'shared' }),
  ...OBJECTS.map((object, i) => event(21 + i, START, { object, category: 'object' })),
]

const row = (asks: string, ...finds: readonly number[]): Row => ({ asks: `id__lt=20&${asks}`, finds })
const hidden = (asks: string, ...finds: readonly number[]): Row => ({ ...row(asks, ...finds), level: 'Hidden' })
const TYPE = 'event_series__observation_type'
const LEVEL = 'event_series__access_modifier'
const of = (uuid: string) => UUIDS.flatMap((each, i) => (each.replaceAll('-', '').startsWith(uuid) ? [i + 1] : []))

const SERIES: readonly Row[] = [
  row('event_series=F', 6, 7),
  row('event_series=ffff&event_series=9a', 5, 6, 7),
  row('event_series__id__in=5&event_series__id__in=6', 5, 6),
  row('category__in=none,x&category__in=&category__in=flood', 1, 2, 3, 4, 5, 6, 7, 8),
  row('category__in=&category__in=', 1, 2, 3, 4, 5, 6, 7, 8),
  row('start__range=2019-12-31&start__range=2020-01-02&id__lte=2', 1, 2),
  row('bbox=3&bbox=50&bbox=8&bbox=54&id__lte=2', 1, 2),
  row('event_series=1'),
  row('event_series=9A', 5),
  row('event_series=9-9-f', 1, 2, 3, 4),
  row('event_series= 99f ', 1, 2, 3, 4),
  row('event_series=f,9a', 5, 6, 7),
  row('event_series=99fe5d04,9', 1, 2, 3, 4, 5),
  row('event_series=1,2,3'),
  row('event_series=99FE5D03', 1, 2, 3),
  row('event_series=99fe5d03-', 1, 2, 3),
  row('event_series=99fe5d03-893d-5b20-8244-b9189db33e37-', 1),
  row('event_series=99FE5D03-893D-5B20-8244-B9189DB33E37', 1),
  row('event_series=9-9-f-e-5-d-0-3-8-9', 1, 2),
  row('event_series=--99fe5d04', 4),
  row('event_series=99fe5d04, FFFFFFFF,99fe5d04', 4, 6),
  row('event_series=99fe5d0,99fe5d04', 1, 2, 3, 4),
  row('event_series=99fe5d03-893d-5b20-8244-b9189db33e39'),
  row('event_series__not=99fe5d0,f', 5, 8),
  row('event_series=abc'),
  hidden('event_series=abc', 9, 10, 11, 12),
  row('event_series__id=2', 2),
  row('event_series__id__exact=3', 3),
  row('event_series__id= 002.0 ', 2),
  row('event_series__id__in=2,3,3,999', 2, 3),
  row('event_series__id=-1'),
  row('event_series__id=9007199254740993'),
  row('event_series__id__in=2,99999999999999999999999', 2),
  row('event_series__id=2&event_series__name__isnull=true'),
  row('event_series__id__in__not=2,3,9', 1, 4, 5, 6, 7, 8),
  row('event_series__name__not=S1&event_series__name__startswith=s1'),
  ...[1, 5, 8, 9, 10, 13, 14, 18, 19, 23, 24, 25, 32].map((length): Row => {
    const digits = UUIDS[0]?.slice(0, length) ?? ''
    return row(`event_series=${digits}`, ...of(digits.replaceAll('-', '')))
  }),
  { asks: '/api/v4/eventseries/?uuid=99fe5d03893d5b208244b9189db33e37', finds: [1] },
  { asks: '/api/v4/eventseries/?uuid= 99FE5D03-893D-5B20-8244-B9189DB33E37 ', finds: [1] },
  { asks: '/api/v3/eventseries/?uuid=99fe5d03-893d-5b20-8244-b9189db33e39', finds: [] },
  { asks: `/api/v4/eventseries/99fe5d04/events/?category=flood`, finds: [4] },
  { asks: '/ogc/collections/events/items?event_series=9', finds: [1, 2, 3, 4, 5, 21, 22, 23, 24, 25, 26, 27] },
]

const STORMS = "T_AFTER(timestamp_start,TIMESTAMP('2019-12-31T23:59:59Z'))"
/** Other names of the filters: in version 3, in the list of one series, and under /ogc. */
const NAMES: readonly Row[] = [
  { asks: '/api/v3/eventseries/?name=s3', finds: [3] },
  { asks: '/api/v3/eventseries/?name=S3', finds: [] },
  { asks: '/api/v3/eventseries/?name__icontains=S1&id=1', finds: [1] },
  { asks: '/api/v4/eventseries/?name=S3', finds: [] },
  { asks: '/api/v4/eventseries/99fe5d04/events/?external_id__in=shared,x&end__lt=2020-01-02&duration=0', finds: [4] },
  { asks: '/api/v3/events/?timestamp_start=2020-01-01&object_type__model=airport', finds: [23] },
  { asks: '/ogc/collections/events/items?object_type=storm&object_id=7', finds: [21] },
  { asks: '/ogc/collections/events/items?event_series_name=s2', finds: [2] },
  { asks: '/ogc/collections/events/items?id__in=3,5,7', finds: [3, 5, 7] },
  { asks: '/ogc/collections/events-99fe5d04-0000-0000-0000-000000000000/items?category=flood', finds: [4] },
  { asks: "/ogc/collections/eventseries/items?filter=name LIKE 's%' AND event_count > 1", finds: [1] },
  { asks: '/ogc/collections/eventseries/items?datetime=1700-01-01', finds: [] },
  { asks: `/ogc/collections/events/items?filter=${STORMS} AND id < 3&filter-lang=cql-text`, finds: [1, 2] },
]

const TYPES: readonly Row[] = [
  row(`${TYPE}=1`, 1),
  hidden(`${TYPE}=1`, 1, 9),
  row(`${TYPE}= 2 `, 2),
  row(`${TYPE}=+03`, 3),
  row(`${TYPE}=4.0`, 4),
  row(`${TYPE}=999`),
  row(`${TYPE}=99999999999999999999999`),
  row(`${TYPE}=wind_speed`, 1),
  row(`${TYPE}=WIND_SPEED`),
  row(`${TYPE}=Wind_speed`, 6),
  row(`${TYPE}__exact=twin`, 4, 5),
  row(`${TYPE}__exact= padded`, 7),
  row(`${TYPE}=padded`),
  row(`${TYPE}__exact=é,ü`, 8),
  row(`${TYPE}__exact='; DROP TABLE event; --`),
  row(`${TYPE}__in=1,water_level,twin,none`, 1, 2, 4, 5),
  row(`${TYPE}__in=1&${TYPE}__in=twin`, 1, 4, 5),
  row(`${TYPE}=`, 1, 2, 3, 4, 5, 6, 7, 8),
  row(`${TYPE}__not=twin`, 1, 2, 3, 6, 7, 8),
  row(`${TYPE}__in__not=twin,1`, 2, 3, 6, 7, 8),
  { asks: '/api/v3/observationtypes/?ordering=-code', finds: [8, 1, 2, 5, 4, 6, 3, 7] },
]

const LEVELS: readonly Row[] = [
  ...['Public', 'public', ' Public ', '0', '-0'].map((text) => hidden(`${LEVEL}=${text}`, 1, 2, 3, 4, 5, 6, 7, 8)),
  ...['COMMON', '100', '100.0'].map((text) => hidden(`${LEVEL}=${text}`, 9)),
  ...['pRIVATE', '0200'].map((text) => hidden(`${LEVEL}=${text}`, 10)),
  ...['Hidden', '+300'].map((text) => hidden(`${LEVEL}=${text}`, 11, 12)),
  row(`${LEVEL}=Common`),
  hidden(`${LEVEL}__not=Public`, 9, 10, 11, 12),
  hidden(`${LEVEL}=Common&${TYPE}=wind_speed`, 9),
  { ...row(`${LEVEL}__not=Public`, 9), level: 'Common' },
  { ...row('id__gte=8', 8, 9, 10), level: 'Private' },
  row('external_id=shared', 1, 2, 3, 4, 5, 6, 7, 8),
  hidden('external_id=shared', 1, 2, 3, 4, 5, 6, 7, 8, 12),
  row('external_id__in=of 9,of 10'),
  hidden('external_id__in=of 9,of 10', 10, 11),
  { asks: '/api/v4/eventseries/?access_modifier=Private', finds: [10], level: 'Hidden' },
  { asks: '/api/v4/eventseries/?access_modifier=Private', finds: [] },
  { asks: '/api/v4/eventseries/?access_modifier__not=0', finds: [9, 10], level: 'Private' },
]

const object = (asks: string, ...finds: readonly number[]): Row => ({ asks: `category=object&${asks}`, finds })
const OF_OBJECTS: readonly Row[] = [
  ...['storm$7', 'storm$007', 'storm$7.0', 'storm$ 7 '].map((text) => object(`object=${text}`, 21)),
  object('object=storm$8', 22),
  object('object=storm$-7', 25),
  object('object=airport$7', 23),
  object('object=storm_surge$7', 24),
  object(`object=storm$${2 ** 53 - 1}`, 26),
  ...['storm$9007199254740992', `storm$${'9'.repeat(400)}`, 'storm$9', 'Storm$7', ' storm$7', 'storm%$7'].map((text) =>
    object(`object=${text}`),
  ),
  object('object__not=storm$7', 22, 23, 24, 25, 26, 27),
  object('object_type__model=storm&object_id=7', 21),
  object('object=storm$7&object_type__model=airport'),
  object('object_type__model__not=storm', 23, 24, 27),
  object('object_type__model__in__not=storm,none&object_id__not=7', 27),
  object('object_type__model__isnull=true', 27),
  object('object_id__not=7', 22, 25, 26, 27),
]

testRows(RECORDS, {
  'a series': SERIES,
  'other names': NAMES,
  'an observation type': TYPES,
  'a level': LEVELS,
  'an object': OF_OBJECTS,
})
