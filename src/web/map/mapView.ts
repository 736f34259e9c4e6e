import type { Signal } from '@preact/signals'
import type { Map as MapLibre, Popup } from 'maplibre-gl'
import type { AddressParameter } from '../state/address.ts'
import type { SeriesById, SummaryAnswer } from '../state/known.ts'
import type { Draw } from './draw/draw.ts'
import type { Marks } from './layers.ts'
import type { Tiles } from './tiles.ts'

/** The parts of MapLibre's module that the map makes after it has loaded. */
export interface Library {
  readonly Popup: typeof Popup
}

export interface MapProps {
  readonly prefix: string
  /** The rows of the page: events or series. */
  readonly rows: readonly object[]
  readonly series: SeriesById
  readonly summary: SummaryAnswer | null
  /** The text of `geom_within`. Null if the list has no such filter, or if it is not set. */
  readonly area: string | null
  /** If it changes, the map moves to show everything again. */
  readonly fitKey: string
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
  /** Ends what the user does on the map, because the page shows it no longer. */
  readonly rest: () => void
  /** Asks for the tiles again. */
  readonly reload: () => void
  /** The kind of the marks in view. Null until the map knows it, or if it shows no events. */
  readonly marks: Signal<Marks | null>
  readonly tiles: Signal<Tiles | null>
  /** True after the user moved the map, until the map shows another query. */
  readonly isMoved: Signal<boolean>
  /** True after a tile could not be loaded. */
  readonly isPartial: Signal<boolean>
  /** True while the user edits the area. The drawing tool shows it then. */
  readonly isEditing: Signal<boolean>
  /** Null until the drawing tool has loaded. */
  readonly draw: { current: Draw | null }
  /** Prevents moves until `fitKey` changes, because the user chose an area on the map. */
  readonly stay: () => void
}
