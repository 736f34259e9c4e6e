import { afterEach, describe, expect, it } from 'vitest'
import { doubtOf, type Filter, filterOf, parameterOf, renewed, understood, wordsOf } from '../../src/web/list/filter.ts'
import type { About, Field } from '../../src/web/state/fields.ts'
import { NO_SERIES } from '../../src/web/state/known.ts'
import { language } from '../../src/web/state/text.ts'

const KINDS = {
  value: 'text',
  attributes: 'attributes',
  category: 'text',
  object_id: 'integer',
  event_series__id: 'reference',
  event_series__observation_type: 'reference or name',
  object: 'object',
  radius: 'metres',
  near: 'position',
  bbox: 'box',
  duration: 'duration',
  geom_within: 'geometry',
}
const LOOKUPS = 'not exact iexact contains icontains startswith regex lt lte gt gte range in in__not'.split(' ')

const about: About = {
  fields: Object.entries(KINDS).map(([name, kind]) => {
    return { name, kind, label: ['It', 'Het'], group: 'what', lookups: ['', ...LOOKUPS] } satisfies Field
  }),
}

afterEach(() => {
  language.value = 'en'
})

/** Returns a filter with a text that a reader entered, such as `object_id__in`. */
const entered = (name: string, text: string): Filter => {
  const filter = filterOf(about, { name, value: '' })
  if (filter === null) throw new Error(`no field has ${name}`)
  return { ...renewed(filter), text }
}

/** Returns the value for the service, or both readings of a text that is not clear. */
const asked = (name: string, text: string): string | undefined => {
  const filter = entered(name, text)
  return doubtOf(filter)?.join(' or ') ?? parameterOf(filter)?.value
}

/** The value for a text in English, and in Dutch. */
const NUMBERS: readonly (readonly [text: string, english: string, dutch: string])[] = [
  ['1.000', '1.000', '1000'],
  ['1,000', '1000', '1.000'],
  ['12.345', '12.345', '12345'],
  ['-1.000', '-1.000', '-1000'],
  ['−1,5', '-1.5', '-1.5'],
  ['+1.000,5', '+1000.5', '+1000.5'],
  ['1.234,5', '1234.5', '1234.5'],
  ['1,234.5', '1234.5', '1234.5'],
  ['1.000.000', '1000000', '1000000'],
  ['1,000,000', '1000000', '1000000'],
  ['1 000', '1000', '1000'],
  ['1\u00a0234\u202f567,5', '1234567.5', '1234567.5'],
  ["1'000", '1000', '1000'],
  ['0,5', '0.5', '0.5'],
  ['0.5', '0.5', '0.5'],
  ['1,5', '1.5', '1.5'],
  ['0.125', '0.125', '0.125'],
  ['0,125', '0.125', '0.125'],
  ['1234.567', '1234.567', '1234.567'],
  [',5', '.5', '.5'],
  ['1000', '1000', '1000'],
  ['007', '007', '007'],
  // The service refuses these, or knows them itself.
  ['1e3', '1e3', '1e3'],
  ['1.00.000', '1.00.000', '1.00.000'],
  ['1.000 m', '1.000 m', '1.000 m'],
  ['12 34', '12 34', '12 34'],
  ['-', '-', '-'],
]

describe.each(['value__gte', 'value__lt', 'attributes__mag__lte', 'radius', 'object_id', 'object_id__gt'])(
  'a number in %s',
  (name) => {
    it.each(NUMBERS)('%j', (text, english, dutch) => {
      expect(asked(name, ` ${text} `)).toBe(english)
      language.value = 'nl'
      expect(asked(name, ` ${text} `)).toBe(dutch)
    })
  },
)

it.each([
  // Texts that may be numbers: only the marks of the language count.
  ['value', '1.000', '1.000', '1000'],
  ['value', '1,000', '1000', '1.000'],
  ['value', '1,5', '1,5', '1.5'],
  ['value__not', '1.234,5', '1.234,5', '1234.5'],
  ['attributes__mag', '1.000', '1.000', '1000'],
  ['attributes__mag', '4,5', '4,5', '4.5'],
  ['attributes__mag', '10.1.2', '10.1.2', '10.1.2'],
  ...[
    ...['value__contains', 'value__icontains', 'value__regex', 'category__icontains'],
    ...['attributes__mag__icontains', 'attributes__mag__startswith', 'attributes__mag__endswith__not'],
  ].flatMap((name) =>
    ['1.234', '1,234', '3020,5'].map((text): [string, string, string, string] => [name, text, text, text]),
  ),
  ['category', '1.000', '1.000', '1.000'],
  // Other fields with numbers.
  ['event_series__id', '1.000', '1.000', '1000'],
  ['event_series__observation_type', '1.000', '1.000', '1000'],
  ['event_series__observation_type', 'Seismic, M 1.000', 'Seismic, M 1.000', 'Seismic, M 1.000'],
  ['object', 'airport$1.000', 'airport$1.000', 'airport$1000'],
  ['object', 'airport$1,000', 'airport$1000', 'airport$1.000'],
  // Lists. A semicolon, or a comma and a blank, is between numbers.
  ['value__range', '1,5; 2,5', '1.5,2.5', '1.5,2.5'],
  ['value__range', '1.000; 2.500', '1.000,2.500', '1000,2500'],
  ['value__range', '1.000,2.500', '1.000,2.500', '1000,2500'],
  ['value__range', '1,5', '1,5', '1,5'],
  ['value__range', '100,200', '100,200', '100,200'],
  ['value__range', '1,000', '1000 or 1; 000', '1000 or 1; 000'],
  ['value__range', '1,000,2,000', '1000; 2000 or 1; 000; 2; 000', '1000; 2000 or 1; 000; 2; 000'],
  ['attributes__mag__in', '1,5, 2', '1,5,2', '1.5,2'],
  ['attributes__mag__in', '1,5', '1,5', '1.5'],
  ['attributes__mag__in', '1,500', '1500 or 1; 500', '1.500'],
  ['attributes__mag__in', '1.000', '1.000', '1000'],
  ['attributes__mag__in__not', '4.5,5', '4.5,5', '4.5,5'],
  ['attributes__mag__in', 'Houten, Zeist', 'Houten, Zeist', 'Houten, Zeist'],
  ['object_id__in', '986, 1.000', '986,1.000', '986,1000'],
  ['object_id__in', '986,3021', '986,3021', '986,3021'],
  ['object_id__in', '986;101', '986,101', '986,101'],
  ['object_id__in', '986,101', '986101 or 986; 101', '986101 or 986; 101'],
  ['object_id__in', '1 000; 2 000', '1000,2000', '1000,2000'],
  // Degrees have no thousands.
  ['near', '4.9,52.4', '4.9,52.4', '4.9,52.4'],
  ['near', '5.123,52.456', '5.123,52.456', '5.123,52.456'],
  ['near', '4,9; 52,4', '4.9,52.4', '4.9,52.4'],
  ['near', '4,9 52,4', '4.9,52.4', '4.9,52.4'],
  ['near', '-5,52', '-5,52', '-5,52'],
  ['bbox', '3,50,8,54', '3,50,8,54', '3,50,8,54'],
  ['bbox', '3,5; 50; 7,25; 54', '3.5,50,7.25,54', '3.5,50,7.25,54'],
  // Lengths of time. A number is in seconds.
  ['duration__gte', '1.000 uur', 'PT1H', 'P41DT16H'],
  ['duration__gte', '1,000 hours', 'P41DT16H', 'PT1H'],
  ['duration__gte', '1 000 uur', 'P41DT16H', 'P41DT16H'],
  ['duration__gte', '3.600', '3.600', '3600'],
  ['duration__range', '90,120', '90,120', '90,120'],
  ['duration__in', '90,120', '90120 or 90; 120', '90.120'],
  ['duration__range', '1.000 s; 2 uur', 'PT1S,PT2H', 'PT16M40S,PT2H'],
])('%s: the text %j is %j in English, and %j in Dutch', (name, text, english, dutch) => {
  expect(asked(name, text)).toBe(english)
  language.value = 'nl'
  expect(asked(name, text)).toBe(dutch)
})

it.each([
  ['value__gte', '1.000', 'Het minstens 1000'],
  ['value__gte', '0.5', 'Het minstens 0,5'],
  ['value__gte', '0,5 ', ''],
  ['value__icontains', 'flood ', ''],
  ['object_id__in', '986; 3021', ''],
  ['object_id__in', '986,3021', 'Het is één van 986; 3021'],
  ['object_id__in', '986,101', ''],
])('for the Dutch text of %s=%j the editor shows %j', (name, text, words) => {
  language.value = 'nl'
  expect(understood(about, entered(name, text))).toBe(words)
})

it.each([
  ['value__gte', '1.000', 'It at least 1.000', 'Het minstens 1,000'],
  ['value__gte', '1000', 'It at least 1000', 'Het minstens 1000'],
  ['value__range', '0.5,1000', 'It: 0.5 – 1000', 'Het: 0,5 – 1000'],
  ['attributes__mag__in', '4.5,5', 'mag is one of 4.5; 5', 'mag is één van 4,5; 5'],
  ['object_id', '9.000', 'It: 9.000', 'Het: 9,000'],
  ['object_id__in', '986,101', 'It is one of 986; 101', 'Het is één van 986; 101'],
  ['object', 'airport$9.000', 'It: airport$9.000', 'Het: airport$9,000'],
  ['radius', '0.5', 'It: 0.5', 'Het: 0,5'],
  ['near', '4.9,52.4', 'It: 4.9; 52.4', 'Het: 4,9; 52,4'],
  ['bbox', '3.5,50,8,54', 'It: 3.5; 50; 8; 54', 'Het: 3,5; 50; 8; 54'],
  [
    'geom_within',
    'POLYGON ((3 50,8 50,8 54,3 50))',
    'It: 50.0 – 54.0° N, 3.0 – 8.0° E',
    'Het: 50,0 – 54,0° N, 3,0 – 8,0° O',
  ],
  ['value', 'M 4.5', 'It: M 4.5', 'Het: M 4.5'],
  ['value__regex', '4.5', 'It matches (same case) 4.5', 'Het past op patroon (zelfde hoofdletters) 4.5'],
  ['value', '1,000', 'It: 1,000', 'Het: 1,000'],
  ['duration__gte', '3600', 'It at least 1 h', 'Het minstens 1 u'],
])('an address with %s=%s keeps its meaning: %s, %s', (name, value, english, dutch) => {
  for (const [locale, words] of [
    ['en', english],
    ['nl', dutch],
  ] as const) {
    language.value = locale
    expect(wordsOf({ name, value }, about, NO_SERIES)).toBe(words)
    // The editor shows the words. It reads them as the same value, and keeps a text that nobody changed.
    const filter = filterOf(about, { name, value })
    expect(filter && parameterOf(filter)).toEqual({ name, value })
    const isText = name === 'value' || name.startsWith('duration')
    if (filter && !isText) expect(asked(name, filter.text)).toBe(value)
  }
})
