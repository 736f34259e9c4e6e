import { STRAY } from '../base/address.ts'
import {
  badRequest,
  type Mistakes,
  mistake,
  noMistakes,
  orElse,
  orUndefined,
  refuseMistakes,
  ValueError,
  valueError,
} from '../base/errors.ts'
import { type Described, STRING } from '../base/schema.ts'
import { type Clock, type NamedZone, zoneOf } from '../base/zone.ts'
import type { FilterParameter, FilterSet } from '../filters/filter.ts'
import { checkText, LOOKUPS } from '../filters/lookups.ts'
import { unitsToCompile } from '../filters/pattern.ts'
import type { Parameter } from './query.ts'
import { suggestionFor } from './suggestion.ts'

/**
 * The values of parameters by name, and the mistakes in them. One answer names up to a hundred mistakes. The clock of
 * `timezone` reads all dates and times of the request.
 */
export interface QueryValues {
  readonly texts: ReadonlyMap<string, string>
  readonly mistakes: Mistakes
  readonly clock: Clock
}

/** The parameters that an address takes. */
export interface Known {
  /** The names of the parameters except filters. */
  readonly names: readonly string[]
  readonly filters?: FilterSet | undefined
}

const NO_FILTERS: FilterSet = new Map()

/** Returns the parameters of the members of a filter: of `attributes` for the name `attributes__mag__gte`. */
const membersFor = (filters: FilterSet, name: string): FilterParameter['members'] =>
  filters.get(name.slice(0, Math.max(0, name.indexOf('__'))))?.members

/** Returns the parameter with a name. It may be a parameter of a member. */
export const parameterIn = (filters: FilterSet, name: string): FilterParameter | undefined =>
  filters.get(name) ?? membersFor(filters, name)?.(name)?.get(name)

/** The name of the filter whose members have parameters of their own. */
const ATTRIBUTES = 'attributes'

/**
 * Leaves out the parameters of other programs, unless a column has such a name. Returns attributes one by one: clients of
 * openapi-generator send all as one object of JSON.
 */
export const meant = ({ filters = NO_FILTERS }: Known, parameters: readonly Parameter[]): readonly Parameter[] =>
  parameters
    .filter(({ name }) => !STRAY.test(name) || parameterIn(filters, name) !== undefined)
    .flatMap((each) =>
      filters.has(ATTRIBUTES) && each.name === ATTRIBUTES ? (membersIn(each.value) ?? [each]) : [each],
    )

const membersIn = (text: string): Parameter[] | undefined => {
  const value = /^\s*\{/.test(text) ? orUndefined((): object => JSON.parse(text)) : undefined
  const members = Object.entries(value ?? {}).map(([name, given]) => ({ name, value: String(given) }))
  return members.length > 0 && members.every(({ name }) => name.startsWith(`${ATTRIBUTES}__`)) ? members : undefined
}

/**
 * Reads the values of parameters. It joins repeated comma lists in order: those of `lists`, and some filters. Other repeated
 * parameters are mistakes, and unknown ones too. A filter that disappears would select too much.
 */
export const valuesOf = (parameters: readonly Parameter[], known: Known, lists: readonly string[]): QueryValues => {
  const { filters = NO_FILTERS } = known
  const names = namesIn(known)
  const mistakes = noMistakes()
  const given = Map.groupBy(parameters, ({ name }) => name)
  const takesList = (name: string) => lists.includes(name) || parameterIn(filters, name)?.takesList === true
  for (const [name, { length }] of given) {
    const isKnown = names.includes(name) || parameterIn(filters, name) !== undefined
    if (!isKnown) mistake(mistakes, name, unknown(name, known))
    if (isKnown && length > 1 && !takesList(name)) mistake(mistakes, name, valueError(['repeated']))
  }
  const textOfAll = (name: string, all: readonly Parameter[]): string => {
    if (!takesList(name)) return all.at(-1)?.value ?? ''
    // An empty value adds nothing to a list.
    return all.flatMap(({ value }) => value || []).join(',')
  }
  const texts = new Map(Array.from(given, ([name, all]) => [name, textOfAll(name, all)]))
  const values = { texts, mistakes, clock: null }
  return names.includes('timezone') ? { ...values, clock: read(values, 'timezone', zoneNamed, null) } : values
}

/** The most filters of two kinds in a request. Each is dear for each row: it tests a text, or reads up to 4 KB of JSON. */
const MAX_EXPRESSIONS = 4
const MAX_ATTRIBUTES = 20

/**
 * Throws a 400 if a request has too many filters that are dear for each row. Returns the units of work to compile its
 * regular expressions. It compiles none.
 */
export const checkDear = (parameters: readonly Parameter[]): number => {
  const given = parameters.filter(({ name, value }) => value !== '' || /__exact(__not)?$/.test(name))
  const expressions = given.filter(({ name }) => /__i?regex$/.test(name))
  const attributes = given.filter(({ name }) => name.startsWith('attributes__'))
  if (expressions.length > MAX_EXPRESSIONS)
    throw badRequest(`The request has ${expressions.length} regular expressions. Enter at most ${MAX_EXPRESSIONS}.`)
  if (attributes.length > MAX_ATTRIBUTES)
    throw badRequest(`The request has ${attributes.length} filters of attributes. Enter at most ${MAX_ATTRIBUTES}.`)
  return expressions.reduce((sum, { value }) => sum + unitsToCompile(value), 0)
}

/** Reads a parameter with `parse`. Returns `otherwise` if the parameter is absent, empty or faulty. */
export const read = <T>(values: QueryValues, name: string, parse: (text: string) => T, otherwise: T): T => {
  const text = textIn(values, name)
  return text === '' ? otherwise : attempt(values, name, () => parse(checkText(text)), otherwise)
}

export const wholeNumberIn = (least: number, most: number) => (text: string) => {
  const number = /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : Number.NaN
  if (number >= least && number <= most) return number
  throw valueError(['integerBetween', least, most])
}

/** Returns a reader of one of these names. */
export const oneOfNames =
  <N extends string>(names: readonly N[]) =>
  (text: string): N => {
    const name = names.find((each) => each === text)
    if (name === undefined) throw new ValueError(`Enter one of ${names.join(', ')}.`)
    return name
  }

/** The value of page_size for everything that matches. */
export const ALL = 'all'

/** Runs `parse`, and notes a ValueError as a mistake of the parameter. */
export const attempt = <T>({ mistakes }: QueryValues, name: string, parse: () => T, otherwise: T): T =>
  orElse(parse, (fault) => {
    mistake(mistakes, name, fault)
    return otherwise
  })

export const refuseFaults = ({ mistakes }: QueryValues): void => refuseMistakes(mistakes)

const namesIn = ({ names, filters = NO_FILTERS }: Known): string[] => [...names, ...filters.keys()]

/** The most characters of a name in a message. */
const MAX_SHOWN = 100
const LOOKUP = new RegExp(`__(${Object.keys(LOOKUPS).join('|')})$`)

const unknown = (name: string, known: Known): ValueError => {
  if (membersFor(known.filters ?? NO_FILTERS, name) !== undefined) {
    const attribute = name.slice(`${ATTRIBUTES}__`.length, MAX_SHOWN).replace(LOOKUP, '')
    const quoted = `"${attribute.replaceAll('"', '""')}" = 5`
    return valueError(['unknown'], ['attribute'], ...(attribute === '' ? [] : [['anyName', quoted] as const]))
  }
  const suggestion = name.length > 100 ? null : suggestionFor(name, namesIn(known))
  return suggestion === null ? valueError(['unknown']) : valueError(['unknown'], suggestion)
}

export const textIn = ({ texts }: QueryValues, name: string): string => texts.get(name) ?? ''

/** Describes the time zone of a request. */
export const ZONE: Described = {
  description:
    'The IANA name of a time zone. Dates, times without an offset, bins and parts of the start are in this zone, and also the times of CSV, spreadsheets and format=geojson. Without it they are in UTC.',
  schema: STRING,
  example: 'Europe/Amsterdam',
}

/** Describes the parameter that chooses the separators of a spreadsheet. */
export const localeOf = (format: string): Described => ({
  description: `For ${format}=spreadsheet. The language of the reader (BCP 47). It decides the decimal mark: \`nl\` writes 4,5 with semicolons between cells, and \`en\` writes 4.5 with commas. Another format is a 400.`,
  schema: STRING,
})

/** Reads the IANA name of a time zone. Throws a ValueError for another name. */
const zoneNamed = (text: string): NamedZone => {
  const name = text.trim()
  const zone = zoneOf(name)
  if (zone !== null) return { ...zone, name }
  throw new ValueError('Enter the IANA name of a time zone, such as Europe/Amsterdam.')
}
