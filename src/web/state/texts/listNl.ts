import type { listEn } from './listEn.ts'

const ONE = { events: 'gebeurtenis', series: 'reeks', types: 'soort waarneming' }
const MANY = { events: 'gebeurtenissen', series: 'reeksen', types: 'soorten waarnemingen' }

/** The Dutch texts of lists. */
export const listNl: typeof listEn = {
  counted: (noun: 'events' | 'series' | 'types', count: number) =>
    `${count.toLocaleString('nl')} ${count === 1 ? ONE[noun] : MANY[noun]}`,
  event: (id: number) => `Gebeurtenis ${id}`,
  ofSeries: (count: number | undefined, name: string) =>
    count === undefined ? `van ${name}` : `${count === 1 ? 'gebeurtenis' : 'gebeurtenissen'} van ${name}`,
  columns: {
    value: 'Waarde',
    start: 'Begin',
    end: 'Eind',
    duration: 'Duur',
    category: 'Categorie',
    series: 'Reeks',
    place: 'Plaats',
    object: 'Object',
    id: 'Nummer',
    name: 'Naam',
    events: 'Gebeurtenissen',
    access: 'Toegang',
    bounds: 'Grenzen',
    description: 'Beschrijving',
  },
  empty: 'Niets voldoet. Verwijder een filter, of maak het ruimer.',
  moreRows: (count: number) => `Scroll voor nog ${count.toLocaleString('nl')} rijen van deze pagina`,
  withoutPlace: (count: number) =>
    `${count.toLocaleString('nl')} ${count === 1 ? 'gebeurtenis' : 'gebeurtenissen'} zonder plaats`,
  pager: {
    title: 'Pagina’s',
    first: 'Eerste pagina',
    previous: 'Vorige pagina',
    next: 'Volgende pagina',
    last: 'Laatste pagina',
    page: (page: number, last: number) => `Pagina ${page.toLocaleString('nl')} van ${last.toLocaleString('nl')}`,
    rows: 'Rijen',
  },
  order: {
    title: 'Sorteer op',
    ascending: (name: string) => `${name}, oplopend`,
    descending: (name: string) => `${name}, aflopend`,
    names: {
      '-timestamp_start': 'Nieuwste eerst',
      timestamp_start: 'Oudste eerst',
      '-start': 'Nieuwste eerst',
      start: 'Oudste eerst',
      '-duration': 'Langste eerst',
      duration: 'Kortste eerst',
      '-value_number': 'Grootste waarde eerst',
      value_number: 'Kleinste waarde eerst',
      distance: 'Dichtstbijzijnde eerst',
      id: 'Nummer',
      '-id': 'Nummer, aflopend',
      '-last_modified': 'Laatst gewijzigd eerst',
      last_modified: 'Eerst gewijzigd eerst',
    },
  },
  downloads: {
    title: 'Download',
    about: 'Alle rijen die voldoen, niet alleen deze pagina.',
    failed: (name: string) => `De download van ${name} is mislukt. Probeer het opnieuw.`,
    done: 'Het bestand is opgeslagen',
    cite: (counted: string, address: string, day: string) =>
      `Verwijs als: Event Query Interface, ${counted}, ${address}, opgehaald op ${day}.`,
  },
  chips: {
    title: 'Actieve filters',
    clear: 'Wis alles',
    without: 'Verwijder',
    remove: (words: string) => `Verwijder het filter ${words}`,
    count: (count: string) => `${count} zonder dit filter`,
  },
  search: { label: 'Woorden', example: 'Zoek op woorden, zoals maria flood', search: 'Zoek' },
  panes: { title: 'Delen van deze pagina', rows: 'Lijst', map: 'Kaart', time: 'Tijd', filters: 'Filters' },
}
