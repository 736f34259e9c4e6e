import { is } from 'drizzle-orm'
import { SQLiteReal } from 'drizzle-orm/sqlite-core'
import { numberOfKey } from '../../filters/keys.ts'
import type { ColumnRange } from '../../filters/sql.ts'
import type { OrderedRange } from '../candidates/ordered.ts'
import type { Candidate, ColumnValues, PathRange } from '../candidates/paths.ts'
import type { Counting, PageRead, Plan } from './plan.ts'

/** An access path in words. `rows` are the estimated rows read. */
export interface ExplainedPath {
  readonly path: string
  readonly range: string
  readonly rows: number
}

/** A plan in words. */
export interface ExplainedPlan extends ExplainedPath {
  /** The estimated matches. Null: the plan needed no estimate. */
  readonly matches: number | null
  /** How the page is read, and how the matches are counted. */
  readonly page: string
  readonly count: string
  /** The paths that read more rows, the best first. */
  readonly beaten: readonly ExplainedPath[]
}

/** Explains how a page of a large table is read. */
export const explain = ({ path, narrow, beaten, expected, page, count }: Plan): ExplainedPlan => ({
  path,
  range: page === null ? rangeInWords(narrow.range) : rangeOfPage(page, narrow.range),
  rows: Math.round(narrow.rows),
  matches: expected === null ? null : Math.round(expected),
  page: page === null ? 'decided by the size of the page' : pageInWords(page),
  count: countInWords(count),
  beaten: beaten.map(explainPath),
})

/** Explains how a page of a small table is read. */
export const WHOLE_TABLE: ExplainedPlan = {
  path: 'wholeTable',
  range: 'all rows of the table',
  rows: 0,
  matches: null,
  page: 'sort: reads and sorts all rows',
  count: 'path: counts the rows of the path',
  beaten: [],
}

const explainPath = ({ range, rows }: Candidate): ExplainedPath => ({
  path: range.path,
  range: rangeInWords(range),
  rows: Math.round(rows),
})

const rangeInWords = (range: PathRange | OrderedRange): string => {
  switch (range.path) {
    case 'everything':
      return 'all rows by id'
    case 'ids':
      return `ids ${valuesInWords(range)}`
    case 'column':
    case 'pairs':
      return `${range.index.name}, ${is(range.index.on, SQLiteReal) ? doublesInWords(range.extent) : valuesInWords(range)}`
    case 'entries':
      return `${range.index.name}, ${entriesInWords(range.ids)}, then ${valuesInWords(range)}`
    case 'entryRows':
      return `rows of ${entriesInWords(range.entries.ids)}`
    case 'durationClasses':
      return `${range.ranges.length} classes of durations, each with a range of starts`
    case 'cells':
      return `${range.ranges.length} ranges of cells`
    case 'inOrder':
      return `rows in list order, ${extentInWords(range.extent)}`
    case 'entryInOrder':
      return `${range.index.name}, rows of one entry in list order, ${extentInWords(range.extent)}`
  }
}

/** The range of a page that was planned before any estimate. */
const rangeOfPage = (page: PageRead, path: PathRange): string => {
  switch (page.read) {
    case 'scan':
    case 'walk':
      return rangeInWords(page.along)
    case 'merge':
      return `${page.index.name}, ${entriesInWords('dictionary' in page.entries ? null : page.entries)}`
    case 'seek':
      return `rows of one page, located by the tree "${page.tree}"`
    default:
      return rangeInWords(path)
  }
}

const entriesInWords = (ids: readonly number[] | null): string =>
  ids === null ? 'the entries that match' : ids.length === 1 ? '1 entry' : `${ids.length} entries`

const valuesInWords = ({ values, extent }: ColumnValues): string =>
  values === null ? extentInWords(extent) : `${values.length} values`

const extentInWords = ([least, greatest]: ColumnRange): string =>
  least === null && greatest === null ? 'without limit' : `${least ?? ''}..${greatest ?? ''}`

/** Shows the doubles of keys. */
const doublesInWords = (extent: ColumnRange): string =>
  extent.map((key) => (key === null ? '' : numberOfKey(key))).join('..')

const pageInWords = (page: PageRead): string => {
  switch (page.read) {
    case 'scan':
      return `scan: ${rangeInWords(page.along)}, until the page is full`
    case 'merge':
      return `merge: the first rows of each entry, by ${page.index.name}`
    case 'seek':
      return `seek: stored counts of the tree "${page.tree}" locate the page`
    case 'walk':
      return `walk: tests at most ${page.limit} rows in list order`
    case 'sort':
      return `sort: reads and sorts ${page.ends === null ? 'all rows of the path' : 'the rows that end near the page'}`
    case 'scan or sort':
      return `scan or sort: at most ${page.most} rows (${rangeInWords(page.along.range)}), then the path`
  }
}

const countInWords = (count: Counting): string => {
  switch (count.by) {
    case 'stored counts':
      return `stored counts: ${count.of.of}`
    case 'known count':
      return 'known count: of an earlier request'
    case 'path':
      return 'path: counts the rows of the path'
    case 'the same scan':
      return 'the same scan: the page and the count'
    case 'rectangles':
      return `rectangles: ${count.counted} by stored counts, and ${count.ranges.length} ranges of cells`
    case 'tests of the path':
      return 'tests of the path: the Worker tests each row'
    case 'tests of cells':
      return `tests of cells: ${count.counted} by stored counts, and the Worker tests rows at the boundary`
  }
}
