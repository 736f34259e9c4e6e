import type { Database } from '../engine/run/database.ts'
import { UNITS, type Unit } from '../engine/summary/calendar.ts'
import { type Facet, MAX_ENTRIES } from '../engine/summary/facets.ts'
import { MAX_BINS, TooManyBins } from '../engine/summary/histogram.ts'
import { fetchSummary, type Summary, type SummaryRequest } from '../engine/summary/summary.ts'
import { invalidParameters, ValueError } from '../errors.ts'
import type { Schema } from '../filters/lookups.ts'
import { DOCUMENT_FORMATS } from '../formats/formats.ts'
import { INTEGER, listOf, NUMBER, orNull, record, ref, TIMESTAMP } from '../model/schema.ts'
import type { LargeResource } from '../resource.ts'
import { answer, answerDocument } from './answer.ts'
import { callerAt, type RequestContext } from './context.ts'
import { DOCUMENT_OFFER } from './negotiate.ts'
import { describeQueries } from './options.ts'
import { conditionsOf, LIST_PARAMETERS, parametersOf } from './page.ts'
import { knownOf, read, refuseFaults, type Values, wholeNumber } from './parameters.ts'
import { readPosted } from './posted.ts'
import { readAsked } from './read.ts'
import { tagsOnly } from './validators.ts'

/**
 * A published summary of a long list. It has the filters of the list, and counts only the events that the caller sees.
 */
export interface Summarised {
  /** The path from the root, with a slash at both ends. */
  readonly path: string
  readonly name: string
  readonly description: string
  readonly of: LargeResource
  /** The dictionaries whose entries a client can count by, with the schemas of these entries. */
  readonly facets: Readonly<Record<string, Facet & { readonly schemas: Readonly<Record<string, Schema>> }>>
}

/** The limits of the number of bins. */
const BINS = { minimum: 1, maximum: 512, default: 256 }
/**
 * The limits of the level of cells: 2^level of them lie side by side. The default is the finest level with stored
 * counts.
 */
const LEVEL = { minimum: 0, maximum: 12, default: 8 }

/**
 * The parameters of a summary except filters. A summary accepts and ignores those of pages, because clients pass them
 * on.
 */
export const OWN_PARAMETERS = {
  bins: () => ({
    description: `The maximum number of bins, or the length of a bin, such as month. At most ${MAX_BINS} bins of that length may hold events. Bins are in UTC, and a week begins on Monday.`,
    schema: { anyOf: [{ type: 'integer', ...BINS }, { enum: [...UNITS] }] },
    example: 'month',
  }),
  level: () => ({
    description: 'The level of the smallest cells. At this level, 2^level cells lie side by side around the world.',
    schema: { type: 'integer', ...LEVEL },
    example: LEVEL.default,
  }),
  facets: ({ facets }: Summarised) => ({
    description: `Further fields by which to count. The answer has the ${MAX_ENTRIES} entries of each field with the most events.`,
    schema: { type: 'array', items: { type: 'string', enum: Object.keys(facets) } },
    example: Object.keys(facets),
  }),
}

/** Serves the address of a summary, with the methods of its list. */
export const serveSummary = (summarised: Summarised) => async (c: RequestContext) => {
  const { of, name } = summarised
  const caller = await callerAt(c)
  const { parameters } = readPosted(c)
  const known = knownOf([...parametersOf(of), ...Object.keys(OWN_PARAMETERS)], of.filters, ['facets'])
  const about = () => describeSummary(summarised)
  const asked = readAsked(c, caller, { known, offer: DOCUMENT_OFFER, parameters, title: name, about })
  if (c.req.method === 'OPTIONS') return answerDocument(c, asked, about())
  const { names, ...query } = readSummaryRequest(summarised, asked.values)
  const fetch = async (db: Database) => ({
    headers: {},
    body: serializeSummary(await fetchSummary(db, of, of.access, query, caller.level).catch(refuseBins), names),
  })
  return answer(c, asked, { fetch, early: tagsOnly, cache: { expensive: true } })
}

/** Plans a summary. Throws a 400 that names every bad parameter. It ignores the parameters for pages. */
const readSummaryRequest = (
  { of, facets }: Summarised,
  values: Values,
): SummaryRequest & { readonly names: readonly string[] } => {
  const names = read(values, 'facets', namesOf(Object.keys(facets)), [])
  const request = {
    conditions: conditionsOf(of, values),
    bins: read(values, 'bins', binsOf, BINS.default),
    level: read(values, 'level', wholeNumber(LEVEL.minimum, LEVEL.maximum), LEVEL.default),
    facets: names.map((name) => facets[name] as Facet), // `namesOf` has checked the names.
    names,
  }
  refuseFaults(values)
  return request
}

const binsOf = (text: string): number | Unit => {
  const unit = UNITS.find((name) => name === text.trim())
  if (unit !== undefined) return unit
  if (/^\s*\d+\s*$/.test(text)) return wholeNumber(BINS.minimum, BINS.maximum)(text)
  throw new ValueError(`Enter a whole number from ${BINS.minimum} to ${BINS.maximum}, or one of ${UNITS.join(', ')}.`)
}

/** Reads the names in a comma list, without duplicates. */
const namesOf =
  (known: readonly string[]) =>
  (text: string): readonly string[] => {
    const names = [...new Set(text.split(',').map((name) => name.trim()))]
    if (names.every((name) => known.includes(name))) return names
    throw new ValueError(`Enter one or more of ${known.join(', ')}, separated by commas.`)
  }

const refuseBins = (error: unknown): never => {
  if (!(error instanceof TooManyBins)) throw error
  throw invalidParameters({
    bins: [
      `More than ${MAX_BINS} bins of this length hold events. Enter a longer one of ${UNITS.join(', ')}, or a number of bins.`,
    ],
  })
}

/** Makes the published form of a summary. */
const serializeSummary = (summary: Summary, names: readonly string[]): object => {
  const { count, least, greatest, step, bins, level, cells, facets } = summary
  return {
    count,
    time: { start: least, end: greatest, step, bins },
    density: { level, cells },
    without_geometry: cells.reduce((rest, cell) => rest - cell[4], count),
    ...(names.length > 0 && { facets: Object.fromEntries(names.map((name, i) => [name, facets[i]])) }),
  }
}

/** Makes the schema of a summary, and the schemas that it refers to. */
export const summarySchemas = (summarised: Summarised): Record<string, Schema> => ({
  Summary: summarySchema(summarised),
  SummaryBin: row('Where a bin starts, and how many events start in it.', 2, INTEGER),
  SummaryCell: row('West, south, east and north in degrees, and how many events lie in the cell.', 5, NUMBER),
})

const summarySchema = ({ facets }: Summarised): Schema => {
  const { properties, ...about } = record({
    count: INTEGER,
    time: record({
      start: orNull(TIMESTAMP),
      end: orNull(TIMESTAMP),
      step: orNull({
        type: 'integer',
        description: 'The length of a bin in milliseconds. Null if the bins differ in length.',
      }),
      bins: { ...listOf(ref('SummaryBin')), description: 'The bins that are not empty.' },
    }),
    density: record({
      level: orNull(INTEGER),
      cells: { ...listOf(ref('SummaryCell')), description: 'The cells that are not empty.' },
    }),
    without_geometry: INTEGER,
  }) as { properties: object }
  const counted = Object.entries(facets).map(([name, { schemas }]) => [name, entriesOf(schemas)])
  const facet = {
    type: 'object',
    description: 'The counts of each requested facet. Absent if the request names none.',
    properties: Object.fromEntries(counted),
    additionalProperties: false,
  }
  return { ...about, properties: { ...properties, facets: facet } }
}

const entriesOf = (schemas: Readonly<Record<string, Schema>>): Schema =>
  record({
    entries: {
      ...listOf(record({ ...schemas, count: INTEGER })),
      description: 'The entries with the most events, in descending order.',
    },
    more: { type: 'integer', description: 'The number of further entries.' },
  })

/** Makes the schema of an array of so many numbers. `items` repeats `prefixItems` for tools that do not know the latter. */
function row(description: string, length: number, items: Schema) {
  return { ...listOf(items, length), prefixItems: Array(length).fill(items), description }
}

/** Describes a summary for OPTIONS. */
const describeSummary = ({ name, description, of }: Summarised): object => ({
  ...describeQueries({ name, description, filters: of.filters }, DOCUMENT_FORMATS),
  parameters: [...LIST_PARAMETERS, ...Object.keys(OWN_PARAMETERS)],
})
