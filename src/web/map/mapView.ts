import type { Signal } from '@preact/signals'
import type { Map as MapLibre } from 'maplibre-gl'
import type { AddressParameter } from '../state/address.ts'
import type { SeriesById, SummaryAnswer } from '../state/known.ts'

export interface MapProps {
  /** The rows of the page: events or series. */
  readonly rows: readonly object[]
  readonly series: SeriesById
  readonly summary: SummaryAnswer | null
  /** The text of `geom_within`. Null if the list has no such filter, or if it is not set. */
  readonly area: string | null
  /** If it changes, the map moves to show everything again. */
  readonly query: string
  /** The filters of the events that the tiles show. Absent: the map shows only the rows. */
  readonly filters?: readonly AddressParameter[]
  /** The filters in words, for a picture. */
  readonly described?: string
  /** Gets the drawn area as WKT, or null when the user clears it. Absent: the map has no drawing tools. */
  readonly onArea?: (wkt: string | null) => void
}

/** A map after it has loaded. */
export interface MapView {
  readonly map: MapLibre
  readonly update: (props: MapProps) => void
  /** Hides the tip and the popup, because the page shows the map no longer. */
  readonly rest: () => void
  /** Asks for the tiles again. */
  readonly reload: () => void
  /** The kind of the marks in view. Null until the map knows it, or if it shows no events. */
  readonly marks: Signal<Marks | null>
  readonly moves: Signal<Moves>
  /** True after a tile could not be loaded. */
  readonly isPartial: Signal<boolean>
  readonly isDrawing: Signal<boolean>
  /** Keeps the view for the next query, because the user chose its area on the map. */
  readonly choose: (area: string | null) => void
}

/** A view has one kind of marks: cells with counts, or events one by one. */
export type Marks = 'cells' | 'points'

/**
 * Says who moves a map. `auto`: it moves to what it shows. `still`: it stays until the next query, because the address
 * has its view, or the user chose an area in view. `moved`: the user has moved it since the last query.
 */
export type Moves = 'auto' | 'still' | 'moved'
