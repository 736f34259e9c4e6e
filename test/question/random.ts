import fc from 'fast-check'
import { caseFold } from '../../src/filters/fold.ts'
import type { Geometry } from '../../src/geometry/geometry.ts'
import type { Area, Condition, Operand } from '../../src/question/condition.ts'
import { LEVELS } from '../engine/world.ts'
import { CONDITIONS } from './conditions.ts'

// Random conditions, to compare engines.

export const levels = fc.constantFrom(...Object.values(LEVELS))
const single = fc.constantFrom(...CONDITIONS.map(([, condition]) => condition))

const TEXTS = ['flood', 'drought', 'pump', 'M 3', '', 'ß', 'Dürre', '😀']
const texts = fc.constantFrom(...TEXTS)
const named = fc.constantFrom(...(['category', 'object_type', 'series_name', 'value', 'external_id'] as const))
/** The fields with a stored folded text. */
const foldable = fc.constantFrom(...(['category', 'object_type', 'series_name'] as const))
const numbers: fc.Arbitrary<Operand> = fc.letrec<{ number: Operand }>((tie) => ({
  number: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<Operand>('id', 'object_id', 'series'),
    fc.constantFrom(-3, 0, 2, 7.5, 1000).map((number) => ({ number })),
    fc
      .tuple(fc.constantFrom(...(['+', '-', '*', '/', '%', 'div'] as const)), tie('number'), tie('number'))
      .map(([op, ...of]) => ({ op, of })),
  ),
})).number
const operators = fc.constantFrom(...(['<', '>', '<=', '>=', '=', '<>'] as const))
/** Two columns of people's own, or one and a constant, whose values are compared as one type. */
const columns = fc.constantFrom<readonly Operand[]>(
  ...(['number', 'text'] as const).map((as) => [
    ...['mag', 'place'].map((attribute): Operand => ({ attribute, as })),
    as === 'number' ? { number: 3 } : { text: '3' },
  ]),
)
const columnPairs = columns.chain((among) => fc.tuple(fc.constantFrom(...among), fc.constantFrom(...among)))
const corner = fc.integer({ min: -4, max: 4 })
const polygon = fc.tuple(corner, corner, fc.integer({ min: 1, max: 9 })).map(([x, y, size]): Geometry => {
  const [west, south] = [x * 20, y * 10]
  const ring = [
    [west, south],
    [west + size * 10, south],
    [west + size * 5, south + size * 7],
    [west, south],
  ]
  return { type: 'Polygon', coordinates: [ring] }
})
const areas: fc.Arbitrary<Area> = fc.letrec<{ area: Area }>((tie) => ({
  area: fc.oneof(
    { maxDepth: 2 },
    fc.tuple(polygon, fc.boolean()).map(([within, closed]) => ({ within, closed })),
    fc
      .tuple(corner, corner, fc.boolean())
      .map(([x, y, closed]): Area => ({ box: [x * 40, y * 10, x * 40 + 45, y * 10 + 40], closed })),
    fc.constantFrom<Area>({ nowhere: true }, { box: [150, -60, -120, 60], closed: true }),
    fc.constant<Area>({ circle: [5, 52], metres: 3_000_000 }),
    tie('area').map((outside) => ({ outside })),
    fc.tuple(tie('area'), tie('area')).map((all) => ({ all })),
    fc.tuple(tie('area'), tie('area')).map((any) => ({ any })),
  ),
})).area

/** Leaves that may be unknown for a row. */
const leaves: fc.Arbitrary<Condition> = fc.oneof(
  fc.constantFrom(
    ...CONDITIONS.flatMap(([, condition]) =>
      ['range', 'text', 'equals', 'missing', 'area'].includes(condition.kind) ? [condition] : [],
    ),
  ),
  fc.tuple(named, fc.constantFrom(...(['is', 'has', 'starts', 'ends', 'like'] as const)), texts).map(
    ([field, test, text]): Condition => ({
      kind: 'text',
      field,
      fold: null,
      test,
      texts: [`${text}${test === 'like' ? '%_' : ''}`],
    }),
  ),
  fc
    .tuple(named, texts)
    .map(([field, text]): Condition => ({ kind: 'text', field, fold: 'casei', test: 'has', texts: [caseFold(text)] })),
  fc
    .tuple(operators, foldable, foldable)
    .map(([operator, left, of]): Condition => ({ kind: 'compare', operator, left, right: { fold: 'casei', of } })),
  fc
    .tuple(operators, named, named)
    .map(([operator, left, right]): Condition => ({ kind: 'compare', operator, left, right })),
  fc
    .tuple(operators, numbers, numbers)
    .map(([operator, left, right]): Condition => ({ kind: 'compare', operator, left, right })),
  fc.constant<Condition>({ kind: 'compare', operator: '<', left: 'start', right: 'end' }),
  fc
    .tuple(operators, columnPairs)
    .map(([operator, [left, right]]): Condition => ({ kind: 'compare', operator, left, right })),
  fc
    .constantFrom(['3', 3], ['Dürre'], [true])
    .map((values): Condition => ({ kind: 'equals', attribute: 'mag', values })),
  areas.map((area): Condition => ({ kind: 'area', of: 'point', area })),
  fc
    .constantFrom(...(['place', 'object_id', 'object_type', 'external_id'] as const))
    .map((field): Condition => ({ kind: 'missing', field })),
)
const logic = fc.letrec<{ condition: Condition }>((tie) => {
  const several = fc.array(tie('condition'), { maxLength: 3 })
  return {
    condition: fc.oneof(
      { maxDepth: 4, depthSize: 'medium' },
      { weight: 4, arbitrary: leaves },
      { weight: 1, arbitrary: tie('condition').map((of) => ({ kind: 'not' as const, of })) },
      { weight: 1, arbitrary: tie('condition').map((of) => ({ kind: 'unless' as const, of })) },
      {
        weight: 3,
        arbitrary: fc.constantFrom('all' as const, 'any' as const).chain((kind) => several.map((of) => ({ kind, of }))),
      },
      {
        weight: 1,
        arbitrary: fc
          .tuple(tie('condition'), tie('condition'))
          .map(([one, other]) => ({ kind: 'same' as const, one, other })),
      },
    ),
  }
}).condition
/** Conditions as requests have them: some that the lists know, and expressions of CQL2. */
export const conditions: fc.Arbitrary<Condition> = fc
  .tuple(fc.array(single, { maxLength: 2 }), fc.array(logic, { maxLength: 2 }))
  .map(([some, others]): Condition => ({ kind: 'all', of: [...some, ...others] }))
