import { type SQL, sql } from 'drizzle-orm'
import { at } from '../../base/collections.ts'
import { storedJson } from '../../base/json.ts'
import type { Row } from '../engine.ts'
import type { FoundEntries } from '../shared/summary/assemble.ts'
import type { SummaryStatistics } from '../shared/summary/statistics.ts'
import { compareTexts, numbered, type Ranked, rankedBy, sliceOf } from '../shared/summary/values.ts'
import type { Facet, Shape } from '../summaries.ts'
import { attributeIn } from './attributes.ts'
import { type Ends, partOf } from './clock.ts'
import { fieldsOf, ifKnown, shownIn } from './fields.ts'
import { selectFrom, sourceOf } from './from.ts'
import type { Snapshot } from './snapshot.ts'
import { integers, named } from './sql.ts'

/** A facet that numbers its values. The first value that comes has the number 0. */
export interface NumberedFacet extends Facet {
  /** The value of a row. It is null for a row without it. */
  readonly column: SQL
  /** Returns the number of a value. -1: there is none. */
  readonly keyOf: (value: unknown) => number
  /** Returns the texts of a value in the column. The JSON of a number may have several. */
  readonly textsOf: (key: number) => readonly string[]
  /** Returns the fields of a value, for values that no view describes. */
  readonly entryOf: (key: number) => Row
}

/** Returns how a facet is counted. */
export const facetIn = ({ views }: Snapshot, facet: Facet, { zone }: Shape, ends: Ends): NumberedFacet => {
  const { field } = facet
  const name = typeof field === 'string' ? field : 'start' in field ? 'start' : field.attribute
  const { parse, entryOf } = numbered(name)
  const texts = new Map<number, Set<string>>()
  const noted = (key: number, text: unknown): number => {
    texts.set(key, (texts.get(key) ?? new Set()).add(String(text)))
    return key
  }
  const counted = { ...facet, textsOf: (key: number) => [...(texts.get(key) ?? [])] }
  if (typeof field === 'object' && 'attribute' in field) {
    const column = sql`(${attributeIn(views, field.attribute).json})::text`
    const keyOf = (text: unknown) => noted(parse(text === null ? null : storedJson(String(text))), text)
    return { ...counted, column, keyOf, entryOf }
  }
  const start = ifKnown(fieldsOf(views)('events', 'start'))
  const column =
    typeof field === 'string' ? fieldsOf(views)('events', field).value : partOf(start, field.start, zone, ends)
  const keyOf = (value: unknown) => noted(parse(value), value)
  return { ...counted, column, keyOf, entryOf: (key) => ({ [name]: entryOf(key).attributes }) }
}

/** Returns a slice of the entries of each facet. `counts` has the rows of each key, and -1 has those without a value. */
export const entriesIn = async (
  snapshot: Snapshot,
  facets: readonly NumberedFacet[],
  counts: readonly ReadonlyMap<number, number>[],
  statistics: readonly SummaryStatistics[],
): Promise<readonly FoundEntries[]> => {
  const found: FoundEntries[] = []
  for (const [i, facet] of facets.entries()) {
    const known = at(counts, i)
    const ofFacet = statistics.map(({ facets }) => at(facets, i))
    const ranked = rankedBy(facet, known, ofFacet)
    const slice = typeof facet.field === 'string' ? await namedSlice(snapshot, facet, ranked) : sliceOf(facet, ranked)
    found.push({ ...slice, without: known.get(-1) ?? 0 })
  }
  return found
}

/** Returns a slice of the entries that have names. Equal ones are in the order of their texts or uuids. */
const namedSlice = async (snapshot: Snapshot, facet: NumberedFacet, ranked: readonly Ranked[]) => {
  const { field, size, offset, order } = facet
  const sign = order.by === 'text' && order.descending ? -1 : 1
  const described = field === 'series' ? await seriesOf(snapshot, facet, ranked) : null
  const all = ranked.map((each) => ({
    ...each,
    value: described?.get(Number(facet.entryOf(each.id).series)) ?? facet.entryOf(each.id),
  }))
  const nameIn = ({ value }: (typeof all)[number]) =>
    String(field === 'series' ? value.series_uuid : value[field as string])
  all.sort((a, b) => b.rank - a.rank || sign * compareTexts(nameIn(a), nameIn(b)))
  const entries = all.slice(offset, offset + size)
  return { entries, more: Math.max(0, all.length - offset - entries.length) }
}

/** Reads the fields of series, by their ids. */
const seriesOf = async (
  { views, level, read }: Snapshot,
  { reads, entryOf }: NumberedFacet,
  ranked: readonly Ranked[],
): Promise<ReadonlyMap<number, Row>> => {
  const ids = ranked.map(({ id }) => Number(entryOf(id).series))
  const columns = named({ ...shownIn(views, 'events', reads), series: sql`s.id` })
  const [rows] = await read(
    selectFrom(sourceOf(views, level, 'series', []), columns, sql`s.id = ANY(${integers(ids)})`),
  )
  return new Map(rows.map((row) => [Number((row as Row).series), row as Row]))
}
