import type { Sentence } from '../base/messages.ts'
import type { Bbox } from '../geometry/bbox.ts'
import type { Block } from '../geometry/cell.ts'
import type { Condition } from '../question/condition.ts'
import type { FieldName, ListName } from '../question/fields.ts'
import type { Question, Selection } from '../question/question.ts'
import type { Mark } from './mark.ts'
import type { Ready, State } from './state.ts'
import type { Shape, Summary } from './summaries.ts'

/** The interface of a database. Each binding has one engine, which is the key of memories about its answers. */
export interface Engine {
  /** False for a database that the service only reads. */
  readonly takesWrites: boolean
  /** Returns what this engine cannot decide in a condition, before any read. One 400 then names all mistakes. */
  readonly refusals: (list: ListName, where: Condition) => readonly Refusal[]
  /** Returns true for the text of a hint that this engine made, or could have made. */
  readonly isHint: (text: string) => boolean
  /** Returns how dear a question is. The caches come first if it is `high`, or if it was dear before and is `any`. */
  readonly weight: (list: ListName, question: Question) => 'low' | 'any' | 'high'
  readonly open: (session: Session) => Reader
}

/** A condition that an engine refuses. */
export interface Refusal {
  readonly of: Condition
  readonly message: Sentence
}

/** A read found too many rows, or too much text, for the order or the slice of its question. */
export class Refused extends Error {
  readonly of: 'order' | 'slice'
  constructor(of: Refused['of'], message: string) {
    super(message)
    this.of = of
  }
}

export const tooLong = () => new Refused('slice', 'This page has more than 8 MB of text. Enter a smaller number.')

/** The data changed between two reads that have to see one state of it. */
export class DataChanged extends Error {}

export interface Session {
  /** The access level of the caller. It sees the series of this level and below, and their events. */
  readonly level: number
  /** The data is at least as new as this. Null: any copy of the data serves. */
  readonly bookmark?: string | null
  /** The data is the newest, and not that of a copy that may lag behind. */
  readonly newest?: boolean
  /** Each read takes a few milliseconds, so a late one is sent again. */
  readonly cheap?: boolean
  /** Notes the plan and the statements of each round trip. */
  readonly explain?: boolean
  readonly onRead?: OnRead
  /** Runs before each round trip, with the most milliseconds that it may take. */
  readonly onSend?: (deadline: number) => void
  /** Aborts when the client leaves. */
  readonly signal?: AbortSignal
  /** Lets the process finish some work after the answer. */
  readonly waitUntil?: (work: Promise<unknown>) => void
}

/**
 * Receives the units of work of a round trip. Null: an expensive read timed out, so the number is unknown. A late cheap
 * read is not reported as null, because then the database is at fault and not the question.
 */
export type OnRead = (units: number | null) => void

/** A row by the names of its fields. Instants have the unit of their column, and a field without a value is null. */
export type Row = Readonly<Record<string, unknown>>

/** The fields to read. */
export interface Reads {
  readonly fields: readonly FieldName[]
  /** A page has each series of its rows once, with these fields. Null: it has no series. */
  readonly include?: readonly FieldName[] | null
}

/** The reads of one request. All methods throw a DatabaseFault if the database cannot answer. */
export interface Reader extends Seen {
  readonly level: number
  /** Reads only the state of the data. */
  readonly refresh: () => Promise<void>
  /**
   * Runs a computation of several reads, which see one state of the data. It starts again if the data changes between
   * two of them. The last attempt reads on: rows that exist throughout are there once, and `isOneState` is false.
   */
  readonly atOneState: <T>(compute: () => Promise<T>) => Promise<T>
  /** Reads a slice of the rows, and the exact count of all that match, from one snapshot. */
  readonly page: (list: ListName, question: Question, reads: Reads) => Promise<Page>
  /** Reads all rows in batches. The count comes before the first row. */
  readonly all: (list: ListName, question: Question, reads: Reads, how: Batching) => Promise<All>
  /** Reads the row with a key. Null: the caller sees no such row, or several. */
  readonly item: (list: ListName, key: Key, reads: Reads) => Promise<FoundItem | null>
  readonly summary: (selection: Selection, shape: Shape) => Promise<Summary>
  readonly tile: (selection: Selection, request: TileRequest) => Promise<TileContent>
  /** Reads the bounds of the events of the series with a uuid. Null reads the bounds of all series together. */
  readonly extent: (series: string | null) => Promise<SeriesExtent>
  /** Reads the bounds of all series together, and of the series in a slice, in the order of their names and uuids. */
  readonly overview: (slice: { readonly offset: number; readonly limit: number }) => Promise<Overview>
  /** Reads the uuids of at most so many series, in the order of their ids. */
  readonly uuids: (most: number) => Promise<readonly string[]>
  /** Reads what changed after a mark. Throws a 410 if the mark can no longer tell it. */
  readonly changes: (followed: Followed) => Promise<Changes>
  /** Tells how the database serves. Throws a 503 if it is not migrated, or if it is being loaded. */
  readonly ready: () => Promise<Ready>
}

/** The results of the reads of a request so far. */
export interface Seen {
  /** The state of the data for a level in the last read, by default for the caller's. Null before the first read. */
  readonly state: (level?: number) => State | null
  /** Returns false if the data changed between two reads. The answer then has no tag. */
  readonly isOneState: () => boolean
  /** A later request that sends this bookmark reads data at least as new. Null before the first read. */
  readonly bookmark: () => string | null
  readonly cost: Cost
  /** Null: nobody asked. */
  readonly explanation: Explanation | null
}

export interface Page {
  readonly rows: readonly Row[]
  /** True if the slice has more rows, which would have too much text. */
  readonly isCut: boolean
  /** The number of all rows that match. */
  readonly count: number
  /**
   * The hints of the next and the previous page, in the words of the engine. Empty: its offset finds the page. Null:
   * there is no such page.
   */
  readonly next: string | null
  readonly previous: string | null
  /** The series of the rows, if the reads include them. */
  readonly included: readonly Row[]
}

/**
 * `consistent`: all rows belong to one state, and the stream breaks off if the data changes. Otherwise rows that exist
 * throughout are sent exactly once, and no row is sent twice. `batchRows` returns the most rows of the next batch.
 */
export type Batching = { readonly consistent: boolean; readonly batchRows: () => number }

export interface All {
  readonly count: number
  readonly batches: AsyncGenerator<readonly Row[], void>
}

/** The key of an item in an address. A uuid may be a unique prefix, in lower case with hyphens. */
export type Key = { readonly id: number; readonly series?: number } | { readonly uuid: string }

/** A row, with a tag that each write of the row changes. Null: rows of the list have none. */
export interface FoundItem {
  readonly row: Row
  readonly tag: string | null
}

export interface TileRequest {
  readonly block: Block
  /** Up to so many rows come one by one. More are counted by cell. */
  readonly most: number
  readonly fields: readonly FieldName[]
}

/** The rows in the order of ids, or the number of rows in each cell of the block's level, by its number. */
export type TileContent = { readonly rows: readonly Row[] } | { readonly cells: ReadonlyMap<number, number> }

/** The question of a copy that follows the changes. */
export interface Followed {
  /** Null: only the mark of now. */
  readonly after: Mark | null
  /** The most changes of an answer. */
  readonly limit: number
  /** The uuids of the only series that are followed. Null: all. */
  readonly series: readonly string[] | null
  /** The fields of the rows of each list. */
  readonly fields: Readonly<Record<ListName, readonly FieldName[]>>
}

/**
 * A change for a level. A row has its newest values. An event is gone if it is deleted, or if it moved to a series that the
 * caller does not follow. After a change of access, changes and deletions of events may be missing: a series is then `reread`. It is
 * `dropped` if the level no longer sees it.
 */
export type Change =
  | { readonly kind: 'type'; readonly row: Row }
  | { readonly kind: 'event'; readonly row: Row }
  | { readonly kind: 'series'; readonly row: Row; readonly reread: boolean }
  | { readonly kind: 'dropped'; readonly id: number; readonly series: string }
  | { readonly kind: 'gone'; readonly id: number; readonly series: string | null; readonly externalId: string | null }

/** The changes in their order. `more`: others follow after the mark. */
export interface Changes {
  readonly mark: string
  readonly more: boolean
  readonly changes: readonly Change[]
}

/** The bounds of the events of a series, in degrees and in milliseconds since 1970. They are null without events. */
export interface SeriesExtent {
  /** Null: these are the bounds of all series. */
  readonly uuid: string | null
  /** The number of series and of their events that the caller sees. */
  readonly series: number
  readonly events: number
  readonly bbox: Bbox | null
  readonly interval: readonly [start: number, end: number] | null
}

/** The rows have the id, uuid, name and description of a series, and its `metadata` without columns. */
export interface Overview {
  readonly all: SeriesExtent
  readonly series: readonly { readonly row: Row; readonly extent: SeriesExtent }[]
}

/**
 * `plan`: the name of the access path. `region`: the place that answered the last read, null locally. `size`: the bytes of the
 * database. `estimateRows`: the rows read for the estimates of the isolate, which serve other requests too.
 */
export interface Cost {
  plan: string | null
  roundTrips: number
  rowsRead: number
  estimateRows: number
  milliseconds: number
  region: string | null
  size: number
}

/** The plan of the page, and the statements of each round trip. */
export interface Explanation {
  plan: ExplainedPlan
  readonly trips: (readonly RanStatement[])[]
}

/** A statement that the database ran, and the rows that it read. */
interface RanStatement {
  readonly sql: string
  readonly parameters: readonly unknown[]
  readonly rowsRead: number
  /** The lines of EXPLAIN QUERY PLAN. */
  readonly plan: readonly string[]
}

/** A plan as data. `path` is the way to the matches. If it names several, the database reads the one with the fewest rows. */
export interface ExplainedPlan {
  readonly path: string
  /** The estimated rows read, and the estimated matches. Null without an estimate. */
  readonly rows: number | null
  readonly matches: number | null
  readonly paths: readonly { readonly path: string; readonly rows: number }[]
}
