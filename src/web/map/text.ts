import { textsOf } from '../state/text.ts'

/** The texts of the map. */
export const mapTexts = textsOf({
  noWebgl: [
    'This browser cannot show the map, because the map needs WebGL.',
    'Deze browser kan de kaart niet tonen, omdat de kaart WebGL nodig heeft.',
  ],
  missing: ['The map could not be loaded.', 'De kaart kon niet worden geladen.'],
  partial: [
    'Not all events on the map could be loaded.',
    'Niet alle gebeurtenissen op de kaart konden worden geladen.',
  ],
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
  notLoaded: [
    'Drawing could not be loaded. Try again.',
    'Het tekengereedschap kon niet worden geladen. Probeer het opnieuw.',
  ],
  searchHere: ['Search this area', 'Zoek in dit gebied'],
  searchInstead: ['Search this view instead of the area', 'Zoek in dit beeld in plaats van het gebied'],
  image: ['Save as PNG', 'Opslaan als PNG'],
  headline: ['{} on the map', '{} op de kaart'],
  perCell: ['Events per square', 'Gebeurtenissen per vakje'],
  dot: [
    'Each dot is an event, in the colour of its series',
    'Elke stip is een gebeurtenis, in de kleur van haar reeks',
  ],
  inArea: ['{} in the area', '{} in het gebied'],
  more: ['and {} more', 'en nog {}'],
  moreHere: ['and {} more here', 'en hier nog {}'],
  tiles: ['Vector tiles:', 'Vectortegels:'],
  forMapLibre: ['for MapLibre', 'voor MapLibre'],
  style: ['style', 'stijl'],
  forQgis: [
    'for MapLibre and QGIS. QGIS also needs the tiles:',
    'voor MapLibre en QGIS. QGIS heeft ook de tegels nodig:',
  ],
})
