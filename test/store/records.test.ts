import { describe, expect, it } from 'vitest'
import { defaultsOf } from '../../src/model/members.ts'
import { KIND_FIELDS, MAX_LINE, parseRecord } from '../../src/store/records.ts'

const TYPE = { kind: 'observation_type' as const, id: 1, code: 'wind_speed', name: 'Wind speed', unit: 'kn' }
const SERIES = {
  kind: 'event_series',
  id: 2,
  uuid: '1f3fd2e4-e4f6-564f-b861-9051626e9eb4',
  name: 'Storms',
  description: '',
  observation_type: 1,
  statistic: 'raw',
  color: '#6e9eb4',
  access_modifier: 'Public',
  created: '2018-02-07T01:49:14.000000Z',
  last_modified: null,
}
const EVENT = {
  kind: 'event' as const,
  id: 3,
  series: 2,
  category: '',
  value: 'é 🦆',
  start: -1,
  end: 0,
  coordinates: [5.18, 52.1, 0],
  object: { model: 'storm_2', id: 12 },
}

const RECORDS = { type: TYPE, series: SERIES, event: EVENT }

const parse = (of: string, changes: object) =>
  parseRecord(JSON.stringify({ ...RECORDS[of as keyof typeof RECORDS], ...changes }))

describe('a line of a file is read', () => {
  it.each([TYPE, EVENT])('$kind', (record) => {
    expect(parseRecord(JSON.stringify(record))).toEqual({ ...defaultsOf(KIND_FIELDS[record.kind]), ...record })
  })
})

it.each([
  ['"id":3', '"id":9007199254740993', /^"id" is 9007199254740993: enter a positive integer/],
  ['"kind"', '"attributes":{"a":9007199254740993},"kind"', /^The number 9007199254740993 does not fit in a double\./],
])('a number that no double holds is refused with its digits: %s, %s', (own, other, message) => {
  expect(() => parseRecord(JSON.stringify(EVENT).replace(own, other))).toThrow(message)
})

describe('a field is read', () => {
  it.each([
    ['type', { unit: null }, {}],
    ['series', {}, { access_modifier: 0, created: 1517968154000000 }],
    ['series', { access_modifier: 'Common' }, { access_modifier: 100 }],
    ['series', { access_modifier: 'Private' }, { access_modifier: 200 }],
    ['series', { access_modifier: 'Hidden' }, { access_modifier: 300 }],
    ['series', { uuid: '1F3FD2E4E4F6564FB8619051626E9EB4' }, { uuid: '1f3fd2e4-e4f6-564f-b861-9051626e9eb4' }],
    ['series', { color: '#AAbbCC' }, { color: '#AAbbCC' }],
    ['series', { created: '1970-01-01T00:00:00Z' }, { created: 0 }],
    ['series', { created: '1969-12-31T23:59:59.999999Z' }, { created: -1 }],
    ['series', { created: '2254-12-31T23:59:59.123457Z' }, { created: 8993721599123457 }],
    ['series', { last_modified: '2020-02-29T01:30:00.5+01:30' }, { last_modified: 1582934400500000 }],
    ['event', { coordinates: null, object: null }, {}],
    ['event', { coordinates: [-180, 90] }, { coordinates: [-180, 90, 0] }],
    ['event', { coordinates: [180, -90, -1.5e300] }, {}],
    ['event', { coordinates: [5e-324, -9e-101, 5e-324] }, { coordinates: [0, 0, 5e-324] }],
    ['event', { coordinates: [1e-100, -1e-100, 0] }, {}],
    ['event', { start: -62167219200000, end: 253402300799999 }, {}],
    ['event', { id: Number.MAX_SAFE_INTEGER, object: { model: 'a', id: 0 } }, {}],
  ])('%s %j', (of, changes, read) => {
    expect(parse(of, changes)).toMatchObject(Object.keys(read).length > 0 ? read : changes)
  })
})

describe('a field is refused', () => {
  it.each([
    ['type', { kind: 'even' }, '"kind" is "even": enter one of "observation_type", "event_series", "event"'],
    ['type', { kind: undefined }, '"kind" is missing: enter one of'],
    ['type', { kind: 'toString' }, '"kind" is "toString": enter one of'],
    ['type', { id: 0 }, '"id" is 0: enter a positive integer'],
    ['type', { id: 1.5 }, '"id" is 1.5: enter'],
    ['type', { id: '1' }, '"id" is "1": enter'],
    ['type', { id: 2 ** 53 }, '"id" is 9007199254740992: enter'],
    ['type', { unit: undefined }, '"unit" is missing: enter a text'],
    [
      'type',
      { units: 'm' },
      '"units" is not a field of kind "observation_type": leave it out, or enter one of id, code, name, unit',
    ],
    ['type', { code: 5 }, '"code" is 5: enter a text'],
    ['type', { name: 'a\0' }, '"name" is "a\\u0000": enter a text'],
    ['type', { name: 'a\ud800' }, '"name" is "a\\ud800": enter a text'],
    ['type', { name: Array(99).fill(0) }, `"name" is [${'0,'.repeat(29)}0...: enter a text`],
    [
      'series',
      { uuid: '1f3fd2e4-e4f6-564f-b861-9051626e9eb' },
      '"uuid" is "1f3fd2e4-e4f6-564f-b861-9051626e9eb": enter a UUID',
    ],
    ['series', { uuid: 7 }, '"uuid" is 7: enter a UUID'],
    ['series', { color: 'red' }, '"color" is "red": enter # and six hexadecimal digits'],
    [
      'series',
      { access_modifier: 'Secret' },
      '"access_modifier" is "Secret": enter one of Public, Common, Private, Hidden',
    ],
    ['series', { access_modifier: 100 }, '"access_modifier" is 100: enter one of'],
    ['series', { created: null }, '"created" is null: enter an ISO 8601 instant'],
    ['series', { created: '2018-02-07' }, '"created" is "2018-02-07": enter'],
    ['series', { created: '2018-02-07T00:00:00' }, '"created" is'],
    ['series', { created: '2018-02-30T00:00:00Z' }, '"created" is'],
    ['series', { created: '2018-02-07T00:00:00.1234567Z' }, '"created" is'],
    ['series', { created: '2300-01-01T00:00:00Z' }, '"created" is'],
    ['series', { last_modified: 'never' }, 'or null'],
    ['series', { observation_type: null }, '"observation_type" is null: enter the id of an observation type'],
    ['event', { series: '2' }, '"series" is "2": enter the id of an event series'],
    ['event', { start: 1 }, '"end" is 0, before "start": enter 1 or a later time'],
    ['event', { end: 253402300800000 }, '"end" is 253402300800000: enter milliseconds'],
    ['event', { start: -62167219200001 }, '"start" is -62167219200001: enter milliseconds'],
    ['event', { start: -0.5 }, '"start" is -0.5: enter milliseconds'],
    ['event', { coordinates: undefined }, '"coordinates" is missing'],
    ['event', { coordinates: [] }, '"coordinates" is []: enter [longitude, latitude]'],
    ['event', { coordinates: [1, 2, 3, 4] }, '"coordinates" is [1,2,3,4]'],
    ['event', { coordinates: [180.1, 0] }, '"coordinates" is [180.1,0]'],
    ['event', { coordinates: [0, -90.1] }, '"coordinates" is [0,-90.1]'],
    ['event', { coordinates: ['0', 0] }, '"coordinates" is ["0",0]'],
    ['event', { coordinates: [0, 0, null] }, '"coordinates" is [0,0,null]'],
    ['event', { coordinates: {} }, '"coordinates" is {}'],
    ['event', { object: { model: 'Storm', id: 1 } }, '"object" is {"model":"Storm","id":1}: enter'],
    ['event', { object: { model: '', id: 1 } }, '"object" is'],
    ['event', { object: { model: 'storm' } }, '"object" is'],
    ['event', { object: { model: 'storm', id: 1, x: 1 } }, '"object" is'],
    ['event', { object: 'storm$1' }, '"object" is "storm$1"'],
  ])('%s %j', (of, changes, reason) => {
    expect(() => parse(of, changes)).toThrow(reason)
  })
})

describe('a line is refused', () => {
  it.each([
    ['', 'the line is not JSON'],
    ['{"kind": "event"', 'the line is not JSON'],
    ['{} {}', 'the line is not JSON'],
    ['[]', 'the line is not a JSON object'],
    ['null', 'the line is not a JSON object'],
    [
      JSON.stringify({ ...EVENT, coordinates: 'inf' }).replace('"inf"', '[0, 0, 1e999]'),
      '"coordinates" is [0,0,1e999]',
    ],
    [JSON.stringify(EVENT).replace('{', '{"__proto__": {}, '), '"__proto__" is not a field'],
  ])('%s', (line, reason) => {
    expect(() => parseRecord(line)).toThrow(reason)
  })

  it('with more characters than any record', () => {
    expect(() => parseRecord('a'.repeat(MAX_LINE + 1))).toThrow('the line has more than 2000000 characters')
  })

  it.each([
    ['event', { value: '🌊'.repeat(10_001) }, '"value" has 10,001 characters: enter at most 10,000'],
    ['event', { category: 'é'.repeat(301) }, '"category" has 301 characters: enter at most 300'],
    ['event', { external_id: 'x'.repeat(301) }, '"external_id" has 301 characters: enter at most 300'],
    ['event', { object: { model: 'm'.repeat(301), id: 1 } }, '"object" has 301 characters: enter at most 300'],
    ['series', { name: 'x'.repeat(301) }, '"name" has 301 characters: enter at most 300'],
    ['series', { description: 'x'.repeat(300_000) }, '"description" has 300,000 characters: enter at most 10,000'],
    ['series', { statistic: 'x'.repeat(10_001) }, '"statistic" has 10,001 characters: enter at most 10,000'],
    ['type', { code: 'x'.repeat(301) }, '"code" has 301 characters: enter at most 300'],
    ['type', { unit: 'x'.repeat(301) }, '"unit" has 301 characters: enter at most 300'],
  ])('with a text over its limit: %s %#', (of, changes, reason) => {
    expect(() => parse(of, changes)).toThrow(reason)
  })

  it.each([
    ['event', { value: '🌊'.repeat(10_000), category: '🌊'.repeat(300), external_id: '🌊'.repeat(300) }],
    ['series', { name: '🌊'.repeat(300), description: '🌊'.repeat(10_000) }],
  ])('but not with texts up to their limits: %s', (of, changes) => {
    expect(parse(of, changes)).toMatchObject(changes)
  })
})
