import { computed, signal } from '@preact/signals'
import type { Geometry, Polygon, Position } from 'geojson'
import { readGeoJson } from '../../geometry/geojson.ts'
import { checkShape, geometriesOf } from '../../geometry/geometry.ts'
import { isDegrees } from '../../geometry/srid.ts'
import { readWkt } from '../../geometry/wkt.ts'
import { type AddressParameter, view } from '../state/address.ts'
import type { SeriesById, SummaryAnswer } from '../state/known.ts'
import { textsOf } from '../state/text.ts'
import type { DotClass, DotColumn } from './dots.ts'

/** Reads a text of `geom_within` in longitude and latitude. Returns null for forms that the map cannot show. */
export const geometryOf = (text: string): Geometry | null => {
  try {
    const { geometry, srid } = text.trimStart().startsWith('{') ? readGeoJson(text) : readWkt(text)
    return isDegrees(srid) ? (checkShape(geometry) as Geometry) : null
  } catch {
    return null
  }
}

/** Returns every position of an area. */
export const positionsOf = (area: Geometry): readonly Position[] => {
  const { points, lines, polygons } = geometriesOf(area as Parameters<typeof geometriesOf>[0])
  return [...points, ...lines.flat(), ...polygons.flat(2)]
}

/** Rounds the positions of a polygon to 0.00001 degrees, about a metre. No coordinate is -0. */
export const rounded = ({ coordinates }: Polygon): Polygon => ({
  type: 'Polygon',
  coordinates: coordinates.map((ring) =>
    ring.map(([x = 0, y = 0]) => [x, y].map((part) => Number(part.toFixed(5)) + 0)),
  ),
})

/** Writes a polygon in WKT, with rounded positions. */
export const wktOf = (area: Polygon): string => {
  const rings = rounded(area).coordinates.map((ring) => ring.map((position) => position.join(' ')).join(', '))
  return `POLYGON (${rings.map((ring) => `(${ring})`).join(', ')})`
}

export interface MapProps {
  /** The rows of the page: events or series. */
  readonly rows: readonly object[]
  readonly series: SeriesById
  readonly summary: SummaryAnswer | null
  /** True: the service did not give the summary. */
  readonly isFailed?: boolean
  /** The text of `geom_within`. Null if the list has no such filter, or if it is not set. */
  readonly area: string | null
  /** If it changes, the map moves to show everything again. */
  readonly query: string
  /** The filters of the events that the tiles show. Absent: the map shows only the rows. */
  readonly filters?: readonly AddressParameter[]
  /** A picture names the filters in words, and the source of the events. */
  readonly described?: string
  readonly origin?: string
  /** The uuid of the only series, and the columns of its tiles that dots can show. */
  readonly own?: { readonly uuid: string; readonly columns: readonly DotColumn[] }
  /** Gets the drawn area as WKT, or null when the user clears it. Absent: the map has no drawing tools. */
  readonly onArea?: (wkt: string | null) => void
}

// A page has at most one map. These signals say what it shows.

/** What the page tells the map. Null while no map is on the page. */
export const shown = signal<MapProps | null>(null)

/** The area as a geometry. Null without one, and for forms that the map cannot show. */
export const area = computed(() => (shown.value?.area ? geometryOf(shown.value.area) : null))

/** The marks of the view: the density of cells, or dots. Null until the map knows it, or without events. */
export const marks = signal<'cells' | 'points' | null>(null)

/**
 * Says who moves the map. `auto`: it moves to what it shows. `still`: it stays until the next query, because the address
 * has its view, or the user chose an area in view. `moved`: the user has moved it since the last query.
 */
export const moves = signal<'auto' | 'still' | 'moved'>('auto')

/** The column in the address that the dots show, such as `#dots=value`. Null: they have the colours of their series. */
export const dotColumn = computed(
  () => shown.value?.own?.columns.find(({ name }) => name === view.value.get('dots')) ?? null,
)

/** The classes of the column that the dots show. They stay while the reader moves the map. */
export const dotClasses = signal<readonly DotClass[]>([])

/** True: the map has each event in view, so it can show dots. */
export const hasEvents = signal(false)

/** True after a tile could not be loaded. */
export const isPartial = signal(false)

export const SHAPES = ['polygon', 'rectangle', 'circle'] as const
export type Tool = (typeof SHAPES)[number] | 'edit'

/** The tool that draws or edits an area. Null without one. */
export const tool = signal<Tool | null>(null)

/** The texts of the map. */
export const mapTexts = textsOf({
  noWebgl: [
    'The map needs WebGL, which this browser lacks.',
    'De kaart heeft WebGL nodig. Deze browser heeft dat niet.',
  ],
  missing: ['The map could not be loaded.', 'De kaart kon niet worden geladen.'],
  partial: ['Some events could not be loaded.', 'Sommige gebeurtenissen konden niet worden geladen.'],
  maplibre: [
    {},
    {
      'Map.Title': 'Kaart',
      'NavigationControl.ZoomIn': 'Zoom in',
      'NavigationControl.ZoomOut': 'Zoom uit',
      'Popup.Close': 'Sluit venster',
      'CooperativeGesturesHandler.WindowsHelpText': 'Gebruik Ctrl + scrollen om de kaart te zoomen',
      'CooperativeGesturesHandler.MacHelpText': 'Gebruik ⌘ + scrollen om de kaart te zoomen',
      'CooperativeGesturesHandler.MobileHelpText': 'Gebruik twee vingers om de kaart te bewegen',
    },
  ],
  toolbar: ['Tools of the map', 'Gereedschap van de kaart'],
  tools: {
    polygon: {
      name: ['Draw a polygon', 'Teken een veelhoek'],
      help: [
        'Click each corner. To finish, click the first corner again. To cancel, press Escape.',
        'Klik op elke hoek. Klik als laatste weer op de eerste hoek. Druk op Escape om te stoppen.',
      ],
    },
    rectangle: {
      name: ['Draw a rectangle', 'Teken een rechthoek'],
      help: [
        'Drag from corner to corner, or click both. To cancel, press Escape.',
        'Sleep van hoek naar hoek, of klik op beide hoeken. Druk op Escape om te stoppen.',
      ],
    },
    circle: {
      name: ['Draw a circle', 'Teken een cirkel'],
      help: [
        'Drag from the centre, or click the centre and the edge. To cancel, press Escape.',
        'Sleep vanuit het midden, of klik op het midden en de rand. Druk op Escape om te stoppen.',
      ],
    },
    edit: {
      name: ['Edit', 'Wijzigen'],
      help: [
        'Drag a corner or the whole area. To finish, press Edit again.',
        'Sleep een hoek of het hele gebied. Druk weer op Wijzigen als u klaar bent.',
      ],
    },
  },
  clear: ['Clear area', 'Gebied wissen'],
  searchHere: ['Search this area', 'Zoek in dit gebied'],
  searchInstead: ['Search this view instead of the area', 'Zoek in dit beeld in plaats van het gebied'],
  image: ['Save as PNG', 'Opslaan als PNG'],
  headline: ['{} on the map', '{} op de kaart'],
  perCell: ['Events around a place', 'Gebeurtenissen rond een plek'],
  dots: ['Dots', 'Stippen'],
  series: ['Events', 'Gebeurtenissen'],
  statistics: {
    sum: ['sum of each place', 'som per plek'],
    mean: ['mean of each place', 'gemiddelde per plek'],
  },
  none: ['others', 'overige'],
  dot: ['A dot is an event, in the colour of its series', 'Een stip is een gebeurtenis, in de kleur van haar reeks'],
  inArea: ['{} in the area', '{} in het gebied'],
  more: ['and {} more', 'en nog {}'],
  moreHere: ['and {} more here', 'en hier nog {}'],
  tiles: ['Vector tiles:', 'Vectortegels:'],
  forMapLibre: ['for MapLibre', 'voor MapLibre'],
  style: ['style', 'stijl'],
  forQgis: ['for MapLibre and QGIS. QGIS also needs:', 'voor MapLibre en QGIS. QGIS heeft ook nodig:'],
})
