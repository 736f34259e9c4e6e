import fc from 'fast-check'

/** A filter or a value of CQL2-JSON. */
export type Json = string | number | boolean | readonly Json[] | { readonly [name: string]: Json }

const property = (name: string): Json => ({ property: name })
const operation = (op: string, ...args: readonly Json[]): Json => ({ op, args })
const casei = (value: Json): Json => operation('casei', value)

const WORDS = ['', 'ab', 'AB', 'a%b', '50%_of', 'straße', 'STRASSE', '\\', "O'Hare", 'x_y', 'pump', 'nothing', 'é😀']
const words = fc.constantFrom(...WORDS)
const pieces = fc.constantFrom('%', '_', 'a', 'b', 'B', '5', '0', '\\%', '\\_', '\\\\', '\\', 'ß', 's', 'é', '😀', "'")
const patterns = (most: number) => fc.array(pieces, { maxLength: most }).map((parts) => parts.join(''))

/** Properties that CASEI compares with anything, and properties that it compares with texts only. */
const folded = fc.constantFrom('category', 'object_type', 'event_series_name').map(property)
const unfolded = fc.constantFrom('value', 'external_id').map(property)
const texts = fc.oneof(words, folded, unfolded, words.map(casei), folded.map(casei))
const signs = fc.constantFrom('=', '<>', '<', '>', '<=', '>=')

const numbers: fc.Arbitrary<Json> = fc.letrec<{ number: Json }>((tie) => ({
  number: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<Json>(property('id'), property('object_id')),
    fc.constantFrom<Json>(-3, 0, 1, 2, 5, 7.5, 20, 1e300),
    fc
      .tuple(fc.constantFrom('+', '-', '*', '/', '%', 'div'), tie('number'), tie('number'))
      .map(([op, a, b]) => operation(op, a, b)),
  ),
})).number

const TIMES = [
  '1970-01-01T00:00:00Z',
  '1970-01-02T00:00:00Z',
  '1970-01-02T12:00:00.0000001Z',
  '1969-12-31T23:00:00-01:00',
]
const times = fc.constantFrom<Json>(property('timestamp_start'), property('timestamp_end'))
const instants = fc.oneof(
  times,
  fc.constantFrom(...TIMES).map((timestamp): Json => ({ timestamp })),
  fc.constantFrom('1969-12-31', '1970-01-01', '1970-01-02').map((date): Json => ({ date })),
)

const ring = (corners: readonly (readonly number[])[]): Json => ({
  type: 'Polygon',
  coordinates: [[...corners, corners[0] ?? []]],
})
const shapes = fc.oneof(
  fc.constantFrom<Json>({ bbox: [0, 0, 2, 2] }, { bbox: [3, 0, 1, 4] }, { type: 'Point', coordinates: [1, 1] }),
  fc.tuple(fc.integer({ min: -2, max: 2 }), fc.integer({ min: 1, max: 3 })).map(([from, size]) =>
    ring([
      [from, from],
      [from + size, from],
      [from + size, from + size],
    ]),
  ),
)

/** Returns comparisons of every kind. A pattern of LIKE and a list have at most `most` parts. */
const comparisons = (most: number): fc.Arbitrary<Json> => {
  const several = (items: fc.Arbitrary<Json>) => fc.array(items, { minLength: 1, maxLength: most })
  const isIn = ([value, list]: [Json, Json[]]) => operation('in', value, list)
  return fc.oneof(
    fc.tuple(signs, texts, texts).map(([op, a, b]) => operation(op, a, b)),
    fc.tuple(fc.constantFrom('=', '<>'), unfolded, words).map(([op, a, b]) => operation(op, casei(a), casei(b))),
    fc.tuple(fc.oneof(folded, unfolded), patterns(most)).map(([a, b]) => operation('like', a, b)),
    fc.tuple(fc.oneof(folded, unfolded), patterns(most)).map(([a, b]) => operation('like', casei(a), casei(b))),
    fc.tuple(texts, several(texts)).map(isIn),
    fc.tuple(unfolded.map(casei), several(words)).map(isIn),
    fc.tuple(numbers, several(numbers)).map(isIn),
    fc.tuple(times, several(instants)).map(isIn),
    fc.tuple(texts, texts, texts).map((args) => operation('between', ...args)),
    fc.tuple(signs, numbers, numbers).map(([op, a, b]) => operation(op, a, b)),
    fc.tuple(numbers, numbers, numbers).map((args) => operation('between', ...args)),
    fc.tuple(signs, times, instants).map(([op, a, b]) => operation(op, a, b)),
    fc
      .constantFrom('object_type', 'object_id', 'external_id', 'geom', 'value')
      .map((name) => operation('isNull', property(name))),
    fc
      .tuple(fc.constantFrom('s_intersects', 's_within', 's_disjoint'), shapes)
      .map(([op, shape]) => operation(op, property('geom'), shape)),
    fc.boolean(),
  )
}

/** Returns filters that are at most `depth` deep. An AND or OR has at most `width` parts. */
export const filters = ({ depth, width, most }: Readonly<Record<'depth' | 'width' | 'most', number>>) =>
  fc.letrec<{ filter: Json }>((tie) => {
    const some = fc.array(tie('filter'), { minLength: 2, maxLength: width })
    return {
      filter: fc.oneof(
        { maxDepth: depth, depthSize: 'medium' },
        { weight: 4, arbitrary: comparisons(most) },
        { weight: 2, arbitrary: tie('filter').map((each) => operation('not', each)) },
        { weight: 2, arbitrary: some.map((args) => operation('and', ...args)) },
        { weight: 2, arbitrary: some.map((args) => operation('or', ...args)) },
        {
          weight: 1,
          arbitrary: fc
            .tuple(fc.constantFrom('=', '<>'), tie('filter'), tie('filter'))
            .map(([op, a, b]) => operation(op, a, b)),
        },
      ),
    }
  }).filter
