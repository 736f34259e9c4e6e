import { valueError } from '../base/errors.ts'
import { MESSAGES } from '../base/messages.ts'
import type { Condition, FieldRef } from '../question/condition.ts'
import type { FilterField, FilterType, Lookup } from './filter.ts'
import { fold } from './fold.ts'
import { boundedText, checkText, commaList, type LookupName, MEANINGS } from './lookups.ts'
import { measured, wholeNumber } from './numbers.ts'
import { compile } from './pattern.ts'

/** Returns a filter for a text, with all lookups. Spaces are part of the value. */
export const text = (field: FieldRef, bare: LookupName = 'exact'): FilterType => {
  const missing: Condition = { kind: 'missing', field }
  const matches = (value: string, ignoreCase: boolean): Condition => {
    const pattern = checkText(value)
    compile(pattern, ignoreCase)
    return { kind: 'match', field, pattern, ignoreCase }
  }
  const lookups: { [N in LookupName]?: Lookup } = {
    isnull: (value) => (booleanOf(value) ? missing : { kind: 'not', of: missing }),
    regex: (value) => matches(value, false),
    iregex: (value) => matches(value, true),
  }
  for (const [name, { text, list }] of MEANINGS) {
    if (text === undefined) continue
    lookups[name] = (value) => {
      const given = boundedText(value)
      const texts = list === undefined ? [given] : commaList(given)
      return { kind: 'text', field, ...text, texts: text.fold === null ? texts : texts.map(fold) }
    }
  }
  return { kind: 'text', schema: { type: 'string' }, bare, lookups }
}

const booleanOf = (given: string): boolean => {
  const value = checkText(given).trim().toLowerCase()
  const known = BOOLEANS.get(value) ?? BITS.get(value)
  if (known === undefined) throw valueError(['boolean'])
  return known
}

/** The names of attributes that filters take. Two underscores separate a name from its lookup. */
const NAME = '[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*'
const PREFIX = 'attributes__'
/** The name of an attribute among other names, as a regular expression. */
export const ATTRIBUTE_PATTERN = `${PREFIX}${NAME}`
/** The attributes of an event have at most 4 KB. A regular expression fails for a name of some MB. */
const MAX_NAME = 4096
const isName = (text: string): boolean => text.length <= MAX_NAME && new RegExp(`^${NAME}$`).test(text)
const PATTERN = `^${ATTRIBUTE_PATTERN}(__[a-z]+){0,2}$`

/** A filter for the attributes of an event. Each attribute has its own parameters. */
export const attributes: FilterType = {
  kind: 'attributes',
  // Generated clients keep members of additionalProperties, and drop those of patternProperties. Without a default,
  // Swagger UI would invent members.
  schema: {
    type: 'object',
    propertyNames: { pattern: PATTERN },
    additionalProperties: { type: 'string' },
    default: {},
  },
  asks: `with this name fulfils the lookup. ${MESSAGES.attribute.slice(0, -1)}`,
  bare: 'exact',
  lookups: {
    exact: () => {
      throw valueError(['attribute'])
    },
  },
  members: (name) => (isName(name) ? ofAttribute(name) : null),
}

/** Returns the attribute in a name such as `attributes__mag`. Null: it is no such name. */
export const attributeIn = (name: string): string | null => {
  const attribute = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : ''
  return isName(attribute) ? attribute : null
}

/**
 * Returns the filter for one attribute. Numbers compare with numbers, and texts with texts. `isBoolean`: it is described as
 * true or false, so 1 and 0 mean these as well.
 */
export const ofAttribute = (name: string, isBoolean = false): FilterField => {
  const texts = text({ attribute: name })
  const about = `The attribute ${name} of the event`
  return {
    ...texts,
    lookups: {
      ...texts.lookups,
      exact: (value) => equalsOneOf(name, [boundedText(value)], isBoolean),
      in: (value) => equalsOneOf(name, commaList(boundedText(value)), isBoolean),
    },
    about,
    example: 'Skagway',
    numbers: { ...measured({ attribute: name }, about), example: 4.5 },
  }
}

const BOOLEANS = new Map(Object.entries({ true: true, false: false }))
const BITS = new Map(Object.entries({ 1: true, 0: false }))

/** Selects the rows whose value is one of these texts, or the number or boolean that one of them stands for. */
const equalsOneOf = (attribute: string, texts: readonly string[], isBoolean: boolean): Condition => {
  const numbers = texts.map(wholeNumber).filter((number) => number !== null)
  // Python writes True.
  const booleans = texts.flatMap(
    (text) => BOOLEANS.get(text.toLowerCase()) ?? (isBoolean ? BITS.get(text) : null) ?? [],
  )
  return { kind: 'equals', attribute, values: [...texts, ...numbers, ...booleans] }
}
