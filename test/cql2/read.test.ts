import { describe, expect, test } from 'vitest'
import { readJson } from '../../src/cql2/json.ts'
import { readText } from '../../src/cql2/text.ts'

/** Returns an expression without its places, because places differ between text and JSON. */
const bare = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (name, member) => {
      const written = typeof member === 'bigint' ? String(member) : member
      return name === 'at' ? undefined : written
    }),
  )

describe('a filter as text and the same filter as JSON', () => {
  test.each<[text: string, json: string]>([
    ["category = 'hurricane'", '{"op":"=","args":[{"property":"category"},"hurricane"]}'],
    ["category='O''Hare'", `{"op":"=","args":[{"property":"category"},"O'Hare"]}`],
    ["category = 'O\\'Hare'", `{"op":"=","args":[{"property":"category"},"O'Hare"]}`],
    ["category = 'a\\\\b'", String.raw`{"op":"=","args":[{"property":"category"},"a\\b"]}`],
    [
      "category = 'a\\tb\\a\\b\\f\\n\\r\\v'",
      String.raw`{"op":"=","args":[{"property":"category"},"a\tb\u0007\b\f\n\r\u000b"]}`,
    ],
    ["category LIKE '\\%\\_\\\\t\\x'", String.raw`{"op":"like","args":[{"property":"category"},"\\%\\_\\t\\x"]}`],
    ['"category" = \'x\'', '{"op":"=","args":[{"property":"category"},"x"]}'],
    ['"a ""b""" = 1', String.raw`{"op":"=","args":[{"property":"a \"b\""},1]}`],
    ['object_id <> 5', '{"op":"<>","args":[{"property":"object_id"},5]}'],
    ['object_id >= -1.5e3', '{"op":">=","args":[{"property":"object_id"},-1500]}'],
    ['5 < object_id', '{"op":"<","args":[5,{"property":"object_id"}]}'],
    ['a = ( - (5))', '{"op":"=","args":[{"property":"a"},-5]}'],
    ['a = TRUE', '{"op":"=","args":[{"property":"a"},true]}'],
    ['true', 'true'],
    [
      "category LIKE 'tropical%' and value not like '_'",
      '{"op":"and","args":[{"op":"like","args":[{"property":"category"},"tropical%"]},{"op":"not","args":[{"op":"like","args":[{"property":"value"},"_"]}]}]}',
    ],
    [
      "CASEI(category) LIKE CASEI('Trop%')",
      '{"op":"like","args":[{"op":"casei","args":[{"property":"category"}]},{"op":"casei","args":["Trop%"]}]}',
    ],
    [
      "category ILIKE 'Trop%'",
      '{"op":"like","args":[{"op":"casei","args":[{"property":"category"}]},{"op":"casei","args":["Trop%"]}]}',
    ],
    ["category IN ('a','b')", '{"op":"in","args":[{"property":"category"},["a","b"]]}'],
    ["category NOT IN ('a')", '{"op":"not","args":[{"op":"in","args":[{"property":"category"},["a"]]}]}'],
    ['a BETWEEN 1 AND 2', '{"op":"between","args":[{"property":"a"},1,2]}'],
    ['a NOT BETWEEN 1 AND 2', '{"op":"not","args":[{"op":"between","args":[{"property":"a"},1,2]}]}'],
    ['a IS NULL', '{"op":"isNull","args":[{"property":"a"}]}'],
    ['(a IS NOT NULL)', '{"op":"not","args":[{"op":"isNull","args":[{"property":"a"}]}]}'],
    [
      'a = 1 OR b = 2 AND NOT c = 3',
      '{"op":"or","args":[{"op":"=","args":[{"property":"a"},1]},{"op":"and","args":[{"op":"=","args":[{"property":"b"},2]},{"op":"not","args":[{"op":"=","args":[{"property":"c"},3]}]}]}]}',
    ],
    [
      '(a = 1 OR b = 2) AND c = 3',
      '{"op":"and","args":[{"op":"or","args":[{"op":"=","args":[{"property":"a"},1]},{"op":"=","args":[{"property":"b"},2]}]},{"op":"=","args":[{"property":"c"},3]}]}',
    ],
    [
      'a = 1 + 2 * b ^ 2',
      '{"op":"=","args":[{"property":"a"},{"op":"+","args":[1,{"op":"*","args":[2,{"op":"^","args":[{"property":"b"},2]}]}]}]}',
    ],
    [
      'a = b - 1 - 2',
      '{"op":"=","args":[{"property":"a"},{"op":"-","args":[{"op":"-","args":[{"property":"b"},1]},2]}]}',
    ],
    ['a div 2 = 3 % 2', '{"op":"=","args":[{"op":"div","args":[{"property":"a"},2]},{"op":"%","args":[3,2]}]}'],
    [
      "a > TIMESTAMP('2018-02-05T00:00:00Z')",
      '{"op":">","args":[{"property":"a"},{"timestamp":"2018-02-05T00:00:00Z"}]}',
    ],
    ["a = DATE('2018-02-05')", '{"op":"=","args":[{"property":"a"},{"date":"2018-02-05"}]}'],
    [
      "T_DURING(INTERVAL(a, b), INTERVAL('2018-01-01', '..'))",
      '{"op":"t_during","args":[{"interval":[{"property":"a"},{"property":"b"}]},{"interval":["2018-01-01",".."]}]}',
    ],
    ['S_INTERSECTS(geom,BBOX(4,51,6,53))', '{"op":"s_intersects","args":[{"property":"geom"},{"bbox":[4,51,6,53]}]}'],
    [
      'S_INTERSECTS(geom,BBOX(4,51,0,6,53,9))',
      '{"op":"s_intersects","args":[{"property":"geom"},{"bbox":[4,51,6,53]}]}',
    ],
    [
      's_within(geom, POINT(5.1 52.1))',
      '{"op":"s_within","args":[{"property":"geom"},{"type":"Point","coordinates":[5.1,52.1]}]}',
    ],
    [
      'S_WITHIN(geom, POINT Z (5.1 52.1 3))',
      '{"op":"s_within","args":[{"property":"geom"},{"type":"Point","coordinates":[5.1,52.1]}]}',
    ],
    ['S_WITHIN(geom, POINT EMPTY)', '{"op":"s_within","args":[{"property":"geom"},{"type":"Point","coordinates":[]}]}'],
    [
      'S_WITHIN(POLYGON((0 0,1 0,1 1,0 0)), geom)',
      '{"op":"s_within","args":[{"type":"Polygon","coordinates":[[[0,0],[1,0],[1,1],[0,0]]]},{"property":"geom"}]}',
    ],
    [
      'S_WITHIN(geom, GEOMETRYCOLLECTION(POINT(5.1 52.1), LINESTRING(0 0, 1 1)))',
      '{"op":"s_within","args":[{"property":"geom"},{"type":"GeometryCollection","geometries":[{"type":"Point","coordinates":[5.1,52.1]},{"type":"LineString","coordinates":[[0,0],[1,1]]}]}]}',
    ],
  ])('%s', (text, json) => {
    expect(bare(readText(text))).toEqual(bare(readJson(json)))
  })
})

describe('an error names its position', () => {
  test.each<[text: string, message: string]>([
    ['', 'At character 1: expected a property, a value or an opening parenthesis, found the end.'],
    ['category =', 'At character 11: expected a property, a value or an opening parenthesis, found the end.'],
    ["category = 'x' category", 'At character 16: expected the end, AND or OR, found "category".'],
    ["category = 'x", "At character 12: this ' is not closed. Enter another ' at the end."],
    [
      "category = 'x' && a = 1",
      'At character 16: "&" means nothing here. Enter texts in single quotes, such as category = \'hurricane\'.',
    ],
    ['(a = 1', 'At character 7: expected a closing parenthesis, found the end.'],
    ['a NOT = 1', 'At character 7: expected LIKE, IN or BETWEEN, found "=".'],
    ['a IS 1', 'At character 6: expected NULL, found "1".'],
    ['a IN 1', 'At character 6: expected an opening parenthesis, found "1".'],
    ['foo(a) = 1', 'At character 1: there is no function foo.'],
    ['S_WITHIN(geom)', 'At character 1: S_WITHIN takes 2 values.'],
    [
      'S_WITHIN(geom, POLYGON((0 0, 1 1)))',
      'At character 16: ring 1 of the polygon is not closed: it starts at 0 0 and ends at 1 1; enter the first position again as the last.',
    ],
    ['S_WITHIN(geom, POINT 5 6)', 'At character 16: a geometry needs parentheses. Enter one such as POINT(5.1 52.1).'],
    [
      'BBOX(1,2,3)',
      'At character 1: a box takes four numbers, or six. Enter west, south, east and north, such as BBOX(4, 51, 6, 53).',
    ],
    ['a = 1e999', 'At character 5: the number is too large. Enter one below 1.7e308.'],
    [
      'TIMESTAMP(1) = a',
      "At character 1: TIMESTAMP takes a text. Enter one such as TIMESTAMP('2018-02-05T00:00:00Z').",
    ],
    [
      `${'('.repeat(30)}a = 1${')'.repeat(30)}`,
      'At character 26: expressions are nested more than 24 deep. Enter a flatter filter.',
    ],
    [
      `${'NOT '.repeat(30)}a = 1`,
      'At character 101: expressions are nested more than 24 deep. Enter a flatter filter.',
    ],
    [`a = 1${' + 1'.repeat(40)}`, 'At character 5: expressions are nested more than 24 deep. Enter a flatter filter.'],
  ])('%s', (text, message) => {
    expect(() => readText(text)).toThrow(message)
  })

  test('and too many expressions are an error', () => {
    const text = Array(900).fill('a = 1').join(' OR ')
    expect(() => readText(text)).toThrow(
      'the filter has more than 2000 expressions. Enter a shorter filter, with IN for lists.',
    )
  })

  test.each<[json: string, message: string]>([
    ['{', 'At the beginning: this is not JSON.'],
    ['null', 'At $: null is not a value.'],
    ['{"op":">","args":[{"property":"a"},1e999]}', 'At $.args[1]: the number is too large. Enter one below 1.7e308.'],
    ['{"bbox":[0,0,1,1e999]}', 'At $: the number is too large. Enter one below 1.7e308.'],
    ['{}', 'At $: this is not an expression.'],
    ['{"op":"="}', 'At $.args: = takes an array of 2 values.'],
    ['{"op":"xor","args":[]}', 'At $.op: there is no operation "xor".'],
    ['{"op":"constructor","args":[]}', 'At $.op: there is no operation "constructor".'],
    ['{"op":"not","args":[{"op":"=","args":[{"property":"a"},null]}]}', 'At $.args[0].args[1]: null is not a value.'],
    [`${'{"op":"not","args":['.repeat(30)}true${']}'.repeat(30)}`, 'expressions are nested more than 24 deep'],
  ])('%s', (json, message) => {
    expect(() => readJson(json)).toThrow(message)
  })
})
