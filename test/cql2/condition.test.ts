import { describe, expect, test } from 'vitest'
import { conditionOf } from '../../src/cql2/condition.ts'
import { readText } from '../../src/cql2/text.ts'
import { partsOf } from '../../src/engine/d1/conditions.ts'
import { eventCollection } from '../../src/ogc/collection.ts'
import { answer } from '../service.ts'

// What a filter selects stands in test/oracle/cql2.test.ts.

describe('a part of the outermost AND becomes a condition of the lists, which have cheap plans', () => {
  const { properties } = eventCollection

  test.each([
    ["category = 'hurricane' OR category LIKE 'tropical%'", ['entry']],
    ["NOT category = 'hurricane' AND object_id <> 5", ['entry', 'range']],
    ["event_series_name LIKE 'A%' OR value = 'x'", ['any']],
    ["T_INTERSECTS(INTERVAL(timestamp_start, timestamp_end), INTERVAL('2015-01-01', '..'))", ['range']],
    ['S_DISJOINT(geom, BBOX(0, 0, 1, 1)) OR S_INTERSECTS(geom, POINT(2 2))', ['place']],
  ])('%s', (text, kinds) => {
    const condition = conditionOf(readText(text), { properties, clock: null, places: new Map() })
    expect(partsOf('events', condition).map(({ kind }) => kind)).toEqual(kinds)
  })
})

describe('a filter is refused', () => {
  test.each<[text: string, message: string]>([
    ["categry = 'x'", 'At character 1: there is no property "categry". Enter one of id, category,'],
    ['category = 5', 'At character 1: text and number cannot be compared.'],
    ['category', "At character 1: expected a condition. Enter one such as category = 'hurricane'."],
    ['5 + 5', 'At character 1: + returns a value'],
    ["casei(value) < 'x'", 'At character 1: CASEI of this property can be compared only with texts'],
    ['casei(value) = casei(category)', 'CASEI of this property can be compared only with texts'],
    [
      `casei(value) = '${Array.from({ length: 2_000 }, (_, i) => String.fromCodePoint(0xc0 + i)).join('')}'`,
      'At character 1: Enter a text with fewer different letters.',
    ],
    ['geom = 5', 'At character 1: geom is a geometry.'],
    ["timestamp_start > TIMESTAMP('yesterday')", 'At character 19: "yesterday" is not an instant.'],
    ['S_INTERSECTS(category, POINT(1 1))', 'At character 14: category is not a geometry.'],
    ['S_INTERSECTS(geom, geom)', 'At character 1: S_INTERSECTS takes a property and a geometry.'],
    ["T_AFTER(category, DATE('2015-01-01'))", 'At character 9: expected a time.'],
    ["T_AFTER(timestamp_start, INTERVAL('2016-01-01', '2015-01-01'))", 'the interval ends before it starts'],
    ["timestamp_start > 'yesterday'", 'At character 19: "yesterday" is not an instant.'],
    [
      Array.from({ length: 400 }, () => 'event_series_name=value').join(' OR '),
      'At character 1: the filter is too large for the database. Enter fewer comparisons, or IN for lists.',
    ],
    [
      `value LIKE '${'%a'.repeat(21)}'`,
      'At character 1: the patterns of LIKE have more than 20 texts between their % signs. Enter fewer of them.',
    ],
    [
      Array.from({ length: 21 }, (_, i) => `NOT CASEI(value) LIKE CASEI('%${i}%')`).join(' AND '),
      'the patterns of LIKE have more than 20 texts between their % signs. Enter fewer of them.',
    ],
    [
      `value LIKE '%${'a'.repeat(45)}_bbbbbb%'`,
      "At character 1: a pattern with _ has at most 50 bytes. Enter a shorter pattern, or one without _, such as category LIKE 'tropical%'.",
    ],
    [`CASEI(value) LIKE CASEI('%${'ü'.repeat(24)}_%')`, 'Enter a shorter pattern, or one without _'],
    [`category LIKE '${'_'.repeat(51)}'`, 'Enter a shorter pattern, or one without _'],
  ])('%s', async (text, message) => {
    const { status, body } = await answer(`/ogc/collections/events/items?filter=${encodeURIComponent(text)}`)
    expect([status, body]).toEqual([400, expect.objectContaining({ detail: expect.stringContaining(message) })])
  })
})
