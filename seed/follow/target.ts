import type { Part } from './source.ts'

/** A copy of a service. A kill at any moment loses nothing: the steps after the stored mark are applied again. */
export interface Copy {
  /** Null: the copy has nothing yet. */
  readonly mark: () => string | null
  /** Begins an empty copy in a new place. */
  readonly restart: () => Promise<void>
  readonly apply: (part: Part) => Promise<void>
  /** Puts the new place where the copy was. */
  readonly finish: () => Promise<void>
  readonly close: () => Promise<void>
}
