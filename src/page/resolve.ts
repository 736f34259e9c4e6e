import type { SQL } from 'drizzle-orm'
import type { Extent } from '../filters/lookups.ts'
import { type Ask, groupPart, guessedPart, listPart, type Part, spanPart } from './parts.ts'
import { asCount, type Search } from './search.ts'
import { all } from './sql.ts'
import { type Statistics, statisticsOf } from './statistics.ts'
import { countIn } from './tally.ts'
import { EVERYTHING, type Lead } from './walk.ts'

/** What was found out of a search. */
export interface Resolved {
  readonly statistics: Statistics
  readonly leads: readonly Lead[]
  /** The conditions, and the keys with which a lead may be entered instead. */
  readonly conditions: readonly Entry[]
  /** How many match, as far as can be told: as if the conditions had nothing to do with each other. */
  readonly expected: number
  /** The number of matches, where it is kept. */
  readonly kept: SQL | null
}

interface Entry {
  readonly keys: SQL | null
  readonly condition: SQL
  readonly quiet?: SQL
}

/** What part of the rows a condition is taken to leave of which nothing is known. */
const OF_PLAIN = 1 / 10

/**
 * Finds out what each part of a search leads to, in one round trip at most. Where `guess` is given, few entries of a
 * dictionary are not asked for, and taken to lead to so many rows, or to one in fifty.
 */
export const resolve = async (search: Search, guess: number | null = null): Promise<Resolved> => {
  const { groups, spans, listed, plain, visible } = search
  const statistics = await statisticsOf(search)
  const { total } = statistics
  const guessed = groups.filter(({ few }) => few && guess !== null)
  const parts = await answered(search, (ask) => [
    ...groups.filter((group) => !guessed.includes(group)).map((group) => groupPart(search, statistics, group, ask)),
    ...listed.map((list) => listPart(search, statistics, list, ask)),
    ...spans.map((span) => spanPart(search, statistics, span, ask)),
  ])
  parts.push(...guessed.map((group) => guessedPart(search, group, Math.min(guess ?? 0, total / 50))))
  const part = (rows: number) => Math.min(1, rows / Math.max(1, total))
  const narrowed = (lead: Lead): Lead => {
    const extent = parts.find(({ column }) => column === lead.index?.order)
    return extent === undefined || lead.keys === null ? lead : { ...lead, rows: lead.rows * part(extent.rows) }
  }
  return {
    statistics,
    leads: parts.flatMap(({ leads }) => leads).map(narrowed),
    conditions: [
      ...[visible, ...plain].flatMap((condition) => (condition === null ? [] : [{ keys: null, condition }])),
      ...parts,
    ],
    expected: parts.reduce((left, { rows }) => left * part(rows), total * OF_PLAIN ** plain.length),
    kept: plain.length === 0 && parts.length === 1 ? keptCount(search, parts[0]) : null,
  }
}

/** Parts that have asked what they need to know. */
const answered = async (search: Search, partsOf: (ask: Ask) => (() => Part)[]): Promise<Part[]> => {
  const queries: SQL[] = []
  let answers: Awaited<ReturnType<Search['read']>> = []
  const parts = partsOf((query) => {
    const place = queries.push(query) - 1
    return () => answers[place] ?? []
  })
  if (queries.length > 0) answers = await search.read(...queries)
  return parts.map((part) => part())
}

/** The way that leads to the fewest rows. */
export const narrowestOf = (leads: readonly Lead[]): Lead =>
  leads.reduce((best, lead) => (lead.rows < best.rows ? lead : best), EVERYTHING)

/** All conditions but those that a lead is entered with, for counting. */
export const conditionsBeside = (resolved: Resolved, lead: Lead): SQL =>
  all(entriesBeside(resolved, lead).map(({ condition }) => condition))

/** The same for reading on from a position. */
export const conditionsBeyond = (resolved: Resolved, lead: Lead): SQL =>
  all(entriesBeside(resolved, lead).map(({ condition, quiet = condition }) => quiet))

const entriesBeside = ({ conditions }: Resolved, lead: Lead): readonly Entry[] =>
  conditions.filter(({ keys }) => keys === null || keys !== lead.keys)

/** The kept count of a search that asks one thing only: entries of a dictionary, or an extent of the start. */
const keptCount = (search: Search, part: Part | undefined): SQL | null => {
  const { spans, ways, resource, level, visible } = search
  if (part?.kept) return asCount(part.kept)
  const [span] = spans
  const index = ways.indexes.find(({ on }) => on === ways.trees.start)
  if (span === undefined || span.column !== ways.trees.start || index === undefined) return null
  return asCount(countIn(resource, ways, 'start', index.name, [numbersOf(span.extent)], level, visible))
}

/** The greatest distance of an instant from 1970, in milliseconds: of a Date of JavaScript. */
const REACH = 8_640_000_000_000_000n

const numbersOf = ([least, greatest]: Extent): readonly [number, number] => [
  Number(least === null || least < -REACH ? -REACH : least),
  Number(greatest === null || greatest > REACH ? REACH : greatest),
]
