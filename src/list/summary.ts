import { fetchSummary, type Summary, type SummaryRequest } from '../page/summary.ts'
import { admit, LIST_METHODS, type RequestContext, readQuery, readRequest, readUnlessKnown } from './endpoint.ts'
import { DOCUMENT_FORMATS } from './formats.ts'
import { describeQueries } from './options.ts'
import { read, refuseFaults, type Values, wholeNumber } from './parameters.ts'
import { conditionsOf, LIST_PARAMETERS } from './plan.ts'
import { keysOf } from './query.ts'
import type { LongResource } from './resource.ts'
import { isAnew, tagsOnly } from './validators.ts'

/** A published summary of a long list: of the list it has the filters, and who sees what. */
export interface Summarised {
  /** From the root, with both slashes. */
  readonly path: string
  readonly name: string
  readonly description: string
  readonly of: LongResource
}

const MAX_BINS = 512
const DEFAULT_BINS = 256
const MAX_LEVEL = 12
/** That of the smallest cells that counts are kept of. */
const DEFAULT_LEVEL = 8

/** Parameters of a summary beside the filters. Those of lists are taken too, as clients send on what they have. */
const OWN_PARAMETERS = ['bins', 'level'] as const

/** Answers at the address of a summary, with the methods of its list. */
export const serveSummary = (summarised: Summarised) => async (c: RequestContext) => {
  const { of, name } = summarised
  const caller = await admit(c, LIST_METHODS)
  const { parameters } = await readQuery(c, caller)
  const known = [...LIST_PARAMETERS, ...OWN_PARAMETERS, ...of.filters.keys()]
  const about = () => describeSummary(summarised)
  const request = readRequest(c, caller, name, parameters, known, about, DOCUMENT_FORMATS)
  if (c.req.method === 'OPTIONS') return request.answer(about())
  const asked = parameters.filter((parameter) => of.filters.has(parameter.name))
  const { search } = await keysOf(of.path, asked, caller.level)
  const plan = planSummary(of, request.values, isAnew(c.req.raw.headers) ? null : search)
  const summary = await readUnlessKnown(c, request, tagsOnly, (db) => fetchSummary(db, of, of.ways, plan, caller.level))
  return summary === null ? c.body(null, 304) : request.answer(serializeSummary(summary))
}

/** Plans a summary. Every bad parameter is named in one 400; those that turn the pages of a list mean nothing here. */
const planSummary = (of: LongResource, values: Values, key: string | null): SummaryRequest => {
  const request = {
    conditions: conditionsOf(of, values),
    bins: read(values, 'bins', wholeNumber(1, MAX_BINS), DEFAULT_BINS),
    level: read(values, 'level', wholeNumber(0, MAX_LEVEL), DEFAULT_LEVEL),
    key,
  }
  refuseFaults(values)
  return request
}

/** A summary as it is published. */
const serializeSummary = ({ count, least, greatest, step, bins, level, cells }: Summary): object => ({
  count,
  time: { start: least, end: greatest, step, bins },
  density: { level, cells },
  without_geometry: cells.reduce((rest, cell) => rest - cell[4], count),
})

/** What OPTIONS says of a summary. */
const describeSummary = ({ name, description, of }: Summarised): object => ({
  ...describeQueries({ name, description, filters: of.filters }, DOCUMENT_FORMATS),
  parameters: [...LIST_PARAMETERS, ...OWN_PARAMETERS],
})
