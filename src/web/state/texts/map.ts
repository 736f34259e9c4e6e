import type { Pairs } from './pairs.ts'

/** The texts of the map. */
export const mapTexts = {
  noWebgl: {
    en: 'This browser cannot show the map, because the map needs WebGL.',
    nl: 'Deze browser kan de kaart niet tonen, omdat de kaart WebGL nodig heeft.',
  },
  missing: { en: 'The map could not be loaded.', nl: 'De kaart kon niet worden geladen.' },
  partial: {
    en: 'Not all events on the map could be loaded.',
    nl: 'Niet alle gebeurtenissen op de kaart konden worden geladen.',
  },
  maplibre: {
    en: {},
    nl: {
      'Map.Title': 'Kaart',
      'NavigationControl.ZoomIn': 'Zoom in',
      'NavigationControl.ZoomOut': 'Zoom uit',
      'Popup.Close': 'Sluit venster',
      'CooperativeGesturesHandler.WindowsHelpText': 'Gebruik Ctrl + scrollen om de kaart te zoomen',
      'CooperativeGesturesHandler.MacHelpText': 'Gebruik ⌘ + scrollen om de kaart te zoomen',
      'CooperativeGesturesHandler.MobileHelpText': 'Gebruik twee vingers om de kaart te bewegen',
    },
  },
  tools: { en: 'Tools of the map', nl: 'Gereedschap van de kaart' },
  shapes: {
    polygon: {
      name: { en: 'Polygon', nl: 'Veelhoek' },
      title: { en: 'Draw a polygon', nl: 'Teken een veelhoek' },
      help: {
        en: 'Click each corner. To finish, click the first corner again. To cancel, press Escape.',
        nl: 'Klik op elke hoek. Klik als laatste weer op de eerste hoek. Druk op Escape om te stoppen.',
      },
    },
    rectangle: {
      name: { en: 'Rectangle', nl: 'Rechthoek' },
      title: { en: 'Draw a rectangle', nl: 'Teken een rechthoek' },
      help: {
        en: 'Drag from corner to corner, or click both. To cancel, press Escape.',
        nl: 'Sleep van hoek naar hoek, of klik op beide hoeken. Druk op Escape om te stoppen.',
      },
    },
    circle: {
      name: { en: 'Circle', nl: 'Cirkel' },
      title: { en: 'Draw a circle', nl: 'Teken een cirkel' },
      help: {
        en: 'Drag from the centre, or click the centre and the edge. To cancel, press Escape.',
        nl: 'Sleep vanuit het midden, of klik op het midden en de rand. Druk op Escape om te stoppen.',
      },
    },
  },
  edit: { en: 'Edit', nl: 'Wijzigen' },
  editHelp: {
    en: 'Drag a corner or the whole area. To finish, press Edit again.',
    nl: 'Sleep een hoek of het hele gebied. Druk weer op Wijzigen als u klaar bent.',
  },
  clear: { en: 'Clear area', nl: 'Gebied wissen' },
  notLoaded: {
    en: 'Drawing could not be loaded. Try again.',
    nl: 'Het tekengereedschap kon niet worden geladen. Probeer het opnieuw.',
  },
  searchHere: { en: 'Search this area', nl: 'Zoek in dit gebied' },
  image: { en: 'Save as PNG', nl: 'Opslaan als PNG' },
  headline: { en: (events: string) => `${events} on the map`, nl: (events: string) => `${events} op de kaart` },
  perCell: { en: 'Events per square', nl: 'Gebeurtenissen per vakje' },
  dot: {
    en: 'Each dot is an event, in the colour of its series',
    nl: 'Elke stip is een gebeurtenis, in de kleur van haar reeks',
  },
  inArea: { en: (events: string) => `${events} in the area`, nl: (events: string) => `${events} in het gebied` },
  more: { en: (count: string) => `and ${count} more`, nl: (count: string) => `en nog ${count}` },
  moreHere: { en: (count: string) => `and ${count} more here`, nl: (count: string) => `en hier nog ${count}` },
  tiles: { en: 'Vector tiles:', nl: 'Vectortegels:' },
  forMapLibre: { en: 'for MapLibre', nl: 'voor MapLibre' },
  style: { en: 'style', nl: 'stijl' },
  forQgis: {
    en: 'for MapLibre and QGIS. QGIS also needs the tiles:',
    nl: 'voor MapLibre en QGIS. QGIS heeft ook de tegels nodig:',
  },
} satisfies Pairs
