import type { Schema } from '../filters/lookups.ts'
import { DOCUMENT_FORMATS } from '../formats/formats.ts'
import { INTEGER, listOf, NUMBER, orNull, record, TIMESTAMP } from '../formats/schema.ts'
import { throughCache } from '../http/kept.ts'
import { read, refuseFaults, type Values, wholeNumber } from '../http/parameters.ts'
import { tagsOnly } from '../http/validators.ts'
import type { Database } from '../query/db/d1.ts'
import { fetchSummary, type Summary, type SummaryRequest } from '../query/summary/summary.ts'
import type { LargeResource } from '../resource.ts'
import { admit, keepableOf, type RequestContext, readQuery, readRequest } from './context.ts'
import { readUnlessKnown } from './endpoint.ts'
import { describeQueries, LIST_METHODS } from './options.ts'
import { conditionsOf, LIST_PARAMETERS, parametersOf } from './request.ts'

/** A published summary of a long list: of the list it has the filters, and who sees what. */
export interface Summarised {
  /** From the root, with both slashes. */
  readonly path: string
  readonly name: string
  readonly description: string
  readonly of: LargeResource
}

/**
 * Parameters of a summary beside the filters: whole numbers. Those of lists are taken too, as clients send on what they
 * have. The level that stands otherwise is that of the smallest cells that counts are kept of.
 */
export const FINENESS = {
  bins: { description: 'How many bins there are at most.', minimum: 1, maximum: 512, default: 256 },
  level: {
    description: 'How small cells are at most: 2^level of them lie side by side.',
    minimum: 0,
    maximum: 12,
    default: 8,
  },
}
const OWN_PARAMETERS = Object.keys(FINENESS) as (keyof typeof FINENESS)[]

/** Answers at the address of a summary, with the methods of its list. */
export const serveSummary = (summarised: Summarised) => async (c: RequestContext) => {
  const { of, name } = summarised
  const caller = await admit(c, LIST_METHODS)
  const { parameters } = await readQuery(c)
  const known = [...parametersOf(of), ...OWN_PARAMETERS, ...of.filters.keys()]
  const about = () => describeSummary(summarised)
  const request = readRequest(c, caller, name, parameters, known, about, DOCUMENT_FORMATS)
  if (c.req.method === 'OPTIONS') return request.answer(about())
  const wanted = readSummaryRequest(of, request.values)
  const fetch = async (db: Database) => ({
    headers: {},
    body: serializeSummary(await fetchSummary(db, of, of.access, wanted, caller.level)),
  })
  const content = await readUnlessKnown(c, request, tagsOnly, throughCache(keepableOf(c, request), fetch))
  return content === null ? c.body(null, 304) : request.send(content)
}

/** Plans a summary. Every bad parameter is named in one 400; those that turn the pages of a list mean nothing here. */
const readSummaryRequest = (of: LargeResource, values: Values): SummaryRequest => {
  const request = {
    conditions: conditionsOf(of, values),
    bins: finenessOf(values, 'bins'),
    level: finenessOf(values, 'level'),
  }
  refuseFaults(values)
  return request
}

const finenessOf = (values: Values, name: keyof typeof FINENESS): number => {
  const { minimum, maximum, default: otherwise } = FINENESS[name]
  return read(values, name, wholeNumber(minimum, maximum), otherwise)
}

/** A summary as it is published. */
const serializeSummary = ({ count, least, greatest, step, bins, level, cells }: Summary): object => ({
  count,
  time: { start: least, end: greatest, step, bins },
  density: { level, cells },
  without_geometry: cells.reduce((rest, cell) => rest - cell[4], count),
})

/** The schema of a summary. */
export const SUMMARY = record({
  count: INTEGER,
  time: record({
    start: orNull(TIMESTAMP),
    end: orNull(TIMESTAMP),
    step: orNull({ type: 'integer', description: 'How many milliseconds a bin has.' }),
    bins: rows('The bins that are not empty: where each starts, and how many start in it.', 2, INTEGER),
  }),
  density: record({
    level: orNull(INTEGER),
    cells: rows(
      'The cells that are not empty: west, south, east and north in degrees, and how many lie in it.',
      5,
      NUMBER,
    ),
  }),
  without_geometry: INTEGER,
})

function rows(description: string, length: number, items: Schema) {
  return { ...listOf(listOf(items, length)), description }
}

/** What OPTIONS says of a summary. */
const describeSummary = ({ name, description, of }: Summarised): object => ({
  ...describeQueries({ name, description, filters: of.filters }, DOCUMENT_FORMATS),
  parameters: [...LIST_PARAMETERS, ...OWN_PARAMETERS],
})
