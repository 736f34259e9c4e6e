import type { Texts } from './en.ts'
import { appNl } from './texts/appNl.ts'
import { formNl } from './texts/formNl.ts'
import { itemNl } from './texts/itemNl.ts'
import { listNl } from './texts/listNl.ts'
import { mapNl } from './texts/mapNl.ts'

/** The Dutch texts of the page. */
export const nl: Texts = {
  product: 'Event Query Interface',
  units: {
    source: 'Bron',
    day: 'd',
    hour: 'u',
    minute: 'min',
    second: 's',
    millisecond: 'ms',
    until: 'tot',
    north: 'N',
    south: 'Z',
    east: 'O',
    west: 'W',
    utc: 'UTC',
    local: 'lokale tijd',
  },
  app: appNl,
  list: listNl,
  form: formNl,
  item: itemNl,
  map: mapNl,
  time: {
    title: 'In de tijd',
    hint: 'Sleep over de staven om een periode te kiezen, of gebruik de pijltjestoetsen, Shift en Enter',
    all: 'Alle tijden',
    stackBy: 'Stapel per',
    nothing: 'niet gestapeld',
    event_series: 'per reeks',
    category: 'per categorie',
    scale: 'Schaal',
    linear: 'lineaire schaal',
    root: 'wortelschaal',
    per: (period: string) => `Gebeurtenissen per ${period}`,
    none: 'Geen gebeurtenis in deze periode',
    unnamed: 'Geen categorie',
    others: 'Overige',
    image: 'Bewaar als PNG',
    headline: (events: string) => `${events} in de tijd`,
    spans: 'Van begin tot eind',
    lasting: 'Gebeurtenissen op deze pagina die een tijd duren',
    longest: (most: string, shorter: string) =>
      `De ${most} langste gebeurtenissen op deze pagina, zonder ${shorter} kortere`,
    unnamedEvent: 'Gebeurtenis',
  },
}
