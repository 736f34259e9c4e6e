import fc from 'fast-check'
import { garbage, UUID } from './values.ts'

const oneOf = <T>(...values: readonly T[]) => fc.constantFrom(...values)
const nearly = (usual: fc.Arbitrary<unknown>) =>
  fc.oneof({ arbitrary: usual, weight: 60 }, { arbitrary: fc.jsonValue({ maxDepth: 3 }), weight: 1 })

const rarely = (usual: fc.Arbitrary<unknown>, rare: fc.Arbitrary<unknown>) =>
  fc.oneof({ arbitrary: usual, weight: 12 }, { arbitrary: rare, weight: 1 })
const reference = rarely(oneOf<unknown>(1, 2, 5, UUID), oneOf<unknown>(3, 7, 99, 0, '1', `${UUID}0`))
const time = rarely(
  fc.oneof(fc.integer(), oneOf<unknown>('2018-02-05T00:00:00Z', '2018-02-05')),
  oneOf<unknown>(8.64e15, 9e15, '0', 1.5),
)
const position = fc.tuple(
  fc.double({ min: -180.5, max: 180, noNaN: true }),
  fc.double({ min: -90, max: 90, noNaN: true }),
)
const text = rarely(oneOf('', 'earthquake', 'É'), garbage)

const properties = fc.record(
  {
    category: nearly(text),
    value: nearly(text),
    timestamp_start: nearly(time),
    timestamp_end: rarely(oneOf<unknown>(2 ** 41, '2038-01-19T03:14:08Z'), time),
    event_series: nearly(reference),
    object: nearly(rarely(oneOf(null, { type: 'storm', id: 1 }), oneOf({ type: 'Storm', id: 1 }, {}))),
    object_type: rarely(fc.constant(undefined), oneOf<unknown>('storm', null, '', 5)),
    external_id: nearly(oneOf(null, '', 'a', 'b', 'c')),
    attributes: nearly(oneOf<unknown>(null, {}, { mag: 4.5 }, { '': [1, 'a'] })),
    url: nearly(text),
    the_geom: nearly(fc.constant(null)),
  },
  { requiredKeys: ['timestamp_start', 'event_series'] },
)

const feature = fc.record(
  {
    type: nearly(fc.constant('Feature')),
    id: nearly(fc.integer()),
    geometry: nearly(
      fc.oneof(
        fc.constant(null),
        position.map((coordinates) => ({ type: 'Point', coordinates })),
      ),
    ),
    properties: nearly(properties),
  },
  { requiredKeys: ['type', 'geometry', 'properties'] },
)

/** A change of the event with this external id. Most fields are absent. */
const partial = fc.record({
  properties: fc.record(
    {
      external_id: oneOf('a', 'b', 'c'),
      event_series: oneOf<unknown>(1, 2, UUID),
      category: nearly(oneOf(null, '', 'earthquake')),
      value: nearly(oneOf<unknown>(null, '', 1.5)),
      timestamp_start: nearly(time),
      timestamp_end: nearly(oneOf<unknown>(null, '', 2 ** 41)),
    },
    { requiredKeys: ['external_id', 'event_series'] },
  ),
})

const series = fc.record(
  {
    uuid: nearly(fc.uuid()),
    name: nearly(text),
    description: nearly(text),
    observation_type: nearly(
      oneOf<unknown>(1, 2, '/api/v4/observationtypes/2/', 'http://x/api/v3/observationtypes/1/'),
    ),
    statistic: nearly(text),
    color: nearly(rarely(oneOf('#123456'), oneOf('#12345', 'red'))),
    access_modifier: nearly(rarely(oneOf('Public', 'Common', 'Private'), oneOf('Hidden', 'public', '0'))),
    start: nearly(text),
  },
  { requiredKeys: ['name', 'observation_type'] },
)

const type = fc.record(
  { code: nearly(text), name: nearly(text), unit: nearly(oneOf(null, '', 'm')), id: nearly(fc.integer()) },
  { requiredKeys: ['code', 'name'] },
)

const several = (item: fc.Arbitrary<unknown>) => fc.array(item, { maxLength: 4 })

const value = fc.oneof(
  feature,
  feature,
  several(feature),
  partial,
  several(fc.oneof(feature, partial)),
  several(feature).map((results) => ({ count: results.length, next: null, previous: null, results })),
  several(feature).map((features) => ({ type: 'FeatureCollection', features })),
  series,
  several(series),
  type,
  several(type),
  fc.record({ properties, geometry: nearly(fc.constant(null)) }, { requiredKeys: [] }),
  fc.jsonValue(),
)

/** Bodies of writes, valid and invalid. */
export const bodies: fc.Arbitrary<string> = fc.oneof(
  { arbitrary: value.map((sent) => JSON.stringify(sent)), weight: 20 },
  {
    arbitrary: oneOf(
      '',
      '{',
      '[[['.repeat(5000),
      `${'['.repeat(9000)}${']'.repeat(9000)}`,
      '{"__proto__": 1}',
      '[{"constructor": {}}]',
      '1e999',
      `[${'{},'.repeat(6000)}{}]`,
      `"${'x'.repeat(30_000)}"`,
    ),
    weight: 1,
  },
)
