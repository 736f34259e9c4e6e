import type { Bbox } from '../geometry/bbox.ts'
import type { Block } from '../geometry/cell.ts'
import type { Sentence } from '../messages.ts'
import type { Condition, Field } from '../question/condition.ts'
import type { FieldName, ListName } from '../question/fields.ts'
import type { Question } from '../question/question.ts'
import type { State } from '../state.ts'
import type { Zone } from '../zone.ts'
import type { Unit } from './summary/calendar.ts'

/** The interface of a database. There is one engine for each binding, and it is the key of all memories. */
export interface Engine {
  /** Tells if it supports writes, bookmarks, counts of rows read, and plans. */
  readonly offers: {
    readonly write: boolean
    readonly bookmarks: boolean
    readonly rowsRead: boolean
    readonly explain: boolean
  }
  /** Returns what this engine cannot answer in a question, before any read. One 400 then names all mistakes. */
  readonly refusals: (list: ListName, question: Question) => readonly Refusal[]
  /** Returns how dear a question is. The caches are asked first if it is `high`, or if it was dear before and is `any`. */
  readonly weight: (list: ListName, question: Question) => 'low' | 'any' | 'high'
  readonly open: (session: Session) => Reader
}

export interface Session {
  /** The access level of the caller. It sees the series of this level and below, and their events. */
  readonly level: number
  /** The data is at least as new as this. Null: any copy of the data serves. */
  readonly bookmark: string | null
  /** Each read takes a few milliseconds, so a late one is sent again. */
  readonly cheap: boolean
  readonly explain: boolean
  /** Charges the client for a read, in rows. Null: the read did not end, so its rows are unknown. */
  readonly charge: (rows: number | null) => void
}

/** A part of a question that an engine refuses. */
export interface Refusal {
  readonly of: Condition | 'order' | 'slice'
  readonly message: Sentence
}

/** A row by the names of its fields. Instants have the unit of the list, and a field without a value is null. */
export type Row = Readonly<{ [N in FieldName]?: unknown }>

/** The columns to read. Each row also has its id. */
export interface Reads {
  readonly fields: readonly Field[]
  /** Adds each series of the rows once. */
  readonly include: 'series' | null
  /** The uuid of a series that the address names. Its row comes with the page. */
  readonly about: string | null
}

/** The reads of one request. All methods throw a DatabaseFault if the database cannot answer. */
export interface Reader {
  /** Reads the state of the data for a level, by default for the caller's. Null: the engine has no states. */
  readonly state: (level?: number) => Promise<State | null>
  /** Reads a slice of the rows, and the exact count of all that match, from one snapshot. */
  readonly page: (list: ListName, question: Question, reads: Reads) => Promise<Page>
  /** Reads all rows in batches. The count comes before the first row. `consistent`: they all belong to one state. */
  readonly all: (list: ListName, question: Question, reads: Reads, how: Batching) => Promise<All>
  /** Reads the row with a key, with a tag that each write of the row changes. Null: the caller sees no such row, or several. */
  readonly item: (
    list: ListName,
    key: Key,
    reads: Reads,
  ) => Promise<{ readonly row: Row; readonly tag: string | null } | null>
  readonly summary: (question: Question, shape: Shape) => Promise<Summary>
  readonly tile: (question: Question, request: TileRequest) => Promise<Tile>
  /** Reads the bounds of the events of each series with a uuid. Null reads those of all series together. */
  readonly extents: (series: readonly (string | null)[]) => Promise<readonly SeriesExtent[]>
  readonly ready: () => Promise<Ready>
  readonly seen: Seen
}

export interface Page {
  readonly rows: readonly Row[]
  /** The number of all rows that match. */
  readonly count: number
  /** The hints of the next and the previous page, in the words of the engine. Null: there is no such page. */
  readonly next: string | null
  readonly previous: string | null
  /** The series of the rows, if the reads include them. */
  readonly included: readonly Row[]
  /** The series that the address names. */
  readonly about: Row | null
}

/** `batchRows` returns the most rows of the next batch. */
export type Batching = { readonly consistent: boolean; readonly batchRows: () => number }

export interface All extends Pick<Page, 'count' | 'about'> {
  readonly batches: AsyncGenerator<readonly Row[], void>
}

/** The key of an item in an address. A uuid may be a unique prefix. */
export type Key = { readonly id: number } | { readonly uuid: string }

/** How a summary groups its rows. */
export interface Shape {
  /** The most bins, or their unit. */
  readonly bins: number | Unit
  readonly zone: Zone | null
  /** The first instant of the bins, in milliseconds since 1970. Rows that start earlier are in its bin. Null: none. */
  readonly from: number | null
  /** The level of the smallest cells. */
  readonly level: number
  readonly facets: readonly Facet[]
  /** The facet whose entries have bins of their own. */
  readonly by: Facet | null
  /** The fields whose numbers are summarized. */
  readonly numbers: readonly Field[]
}

/** A field whose values are counted. It shows `size` values, after the first `offset`. */
export interface Facet {
  readonly field: Field
  readonly size: number
  readonly offset: number
}

/** The rows of each bin, by its first instant in milliseconds since 1970. */
export type Bins = readonly (readonly [start: number, count: number])[]

/** Counts and statistics of the rows that match. Times are in milliseconds since 1970. */
export interface Summary {
  readonly count: number
  readonly least: number | null
  readonly greatest: number | null
  /** The length of a bin. Null: the bins differ, or there are none. */
  readonly step: number | null
  readonly bins: Bins
  /** The level of the cells. Null: no row has a place. */
  readonly level: number | null
  readonly cells: readonly (readonly [...Bbox, count: number])[]
  readonly facets: readonly FacetCounts[]
  readonly by: (FacetCounts & { readonly rest: { readonly count: number; readonly bins: Bins } }) | null
  /** One for each of the numbers, with the statistics of each bin. */
  readonly statistics: readonly (NumberStatistics & {
    readonly bins: readonly (readonly [start: number, statistics: NumberStatistics])[]
  })[]
}

/** The values with the most rows, and the number of further values. */
export interface FacetCounts {
  readonly entries: readonly FacetEntry[]
  readonly more: number
}

export interface FacetEntry {
  /** The fields that name the value. */
  readonly value: Row
  readonly count: number
  /** One for each of the numbers of the summary. */
  readonly statistics: readonly NumberStatistics[]
  /** Only in the facet with bins of its own. */
  readonly bins: Bins
}

/** Without numbers the count is 0, and the others are null. The sum is exact and rounded once. It is null beyond a double. */
export interface NumberStatistics {
  readonly count: number
  readonly min: number | null
  readonly max: number | null
  readonly mean: number | null
  readonly sum: number | null
}

export interface TileRequest {
  readonly block: Block
  /** Up to so many rows come one by one. More are counted by cell. */
  readonly most: number
  readonly fields: readonly Field[]
}

/** The rows in the order of ids, or the number of rows in each cell of the block's level, by its number. */
export type Tile = { readonly rows: readonly Row[] } | { readonly cells: ReadonlyMap<number, number> }

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

/** How a database serves at the moment. `bytes` of `capacity` are used. Both are null if the engine has no limit. */
export interface Ready {
  readonly revision: number
  readonly bytes: number | null
  readonly capacity: number | null
}

/** The results of the reads of a request so far. */
export interface Seen {
  readonly state: State | null
  /** False: the data changed between two reads, so the answer has no tag. */
  readonly isOneState: boolean
  readonly bookmark: string | null
  readonly cost: Cost
  /** The plan of a read, as the engine tells it. Null: nobody asked. */
  readonly explanation: object | null
}

export interface Cost {
  readonly plan: string | null
  readonly roundTrips: number
  readonly rowsRead: number
  readonly milliseconds: number
  readonly region: string | null
}
