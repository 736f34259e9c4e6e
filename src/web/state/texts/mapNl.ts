import type { mapEn } from './mapEn.ts'

/** The Dutch texts of the map. */
export const mapNl: typeof mapEn = {
  noWebgl: 'Deze browser kan de kaart niet tonen, omdat de kaart WebGL nodig heeft.',
  tools: 'Gereedschap van de kaart',
  shapes: {
    polygon: {
      name: 'Veelhoek',
      title: 'Teken een veelhoek',
      help: 'Klik op elke hoek. Klik als laatste weer op de eerste hoek. Druk op Escape om te stoppen.',
    },
    rectangle: {
      name: 'Rechthoek',
      title: 'Teken een rechthoek',
      help: 'Sleep van hoek naar hoek, of klik op beide hoeken. Druk op Escape om te stoppen.',
    },
    circle: {
      name: 'Cirkel',
      title: 'Teken een cirkel',
      help: 'Sleep vanuit het midden, of klik op het midden en de rand. Druk op Escape om te stoppen.',
    },
  },
  edit: 'Wijzigen',
  editHelp: 'Sleep een hoek of het hele gebied. Druk weer op Wijzigen als u klaar bent.',
  clear: 'Gebied wissen',
  notLoaded: 'Het tekengereedschap kon niet worden geladen. Probeer het opnieuw.',
  searchHere: 'Zoek in dit gebied',
  image: 'Opslaan als PNG',
  headline: (events) => `${events} op de kaart`,
  perCell: 'Gebeurtenissen per vak',
  dot: 'Elke stip is een gebeurtenis, in de kleur van haar reeks',
  inArea: (events) => `${events} in het gebied`,
  event: (id) => `Gebeurtenis ${id}`,
  more: (count) => `en nog ${count}`,
  moreHere: (count) => `en hier nog ${count}`,
  useTiles: 'Gebruik deze tegels',
  forMapLibre: 'voor MapLibre',
  style: 'stijl',
  forQgis: 'voor MapLibre en QGIS. QGIS heeft ook de tegels nodig:',
}
