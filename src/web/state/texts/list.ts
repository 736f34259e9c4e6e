import type { Language, Pairs } from './pairs.ts'

/** The names of one row and of many. */
const NOUNS = {
  events: { en: ['event', 'events'], nl: ['gebeurtenis', 'gebeurtenissen'] },
  series: { en: ['event series', 'event series'], nl: ['reeks', 'reeksen'] },
  types: { en: ['observation type', 'observation types'], nl: ['soort waarneming', 'soorten waarnemingen'] },
} as const

type Noun = keyof typeof NOUNS

const countedIn = (language: Language) => (noun: Noun, count: number) =>
  `${count.toLocaleString(language)} ${NOUNS[noun][language][count === 1 ? 0 : 1]}`

/** The texts of lists. */
export const listTexts = {
  counted: { en: countedIn('en'), nl: countedIn('nl') },
  event: { en: (id: number) => `Event ${id}`, nl: (id: number) => `Gebeurtenis ${id}` },
  ofSeries: {
    en: (count: number | undefined, name: string) =>
      count === undefined ? `of ${name}` : `${count === 1 ? 'event' : 'events'} of ${name}`,
    nl: (count: number | undefined, name: string) =>
      count === undefined ? `van ${name}` : `${count === 1 ? 'gebeurtenis' : 'gebeurtenissen'} van ${name}`,
  },
  columns: {
    start: { en: 'Start', nl: 'Begin' },
    end: { en: 'End', nl: 'Eind' },
    externalId: { en: 'Id at its source', nl: 'Id bij de bron' },
    events: { en: 'Events', nl: 'Gebeurtenissen' },
    access: { en: 'Access', nl: 'Toegang' },
    bounds: { en: 'Bounds', nl: 'Grenzen' },
    description: { en: 'Description', nl: 'Beschrijving' },
  },
  empty: {
    en: (_: Noun) => 'Nothing matches. Remove a filter, or make its range wider.',
    nl: (noun: Noun) => `Geen ${NOUNS[noun].nl[1]} gevonden. Verwijder een filter, of maak het ruimer.`,
  },
  moreRows: {
    en: (count: number) => `Scroll to see ${count.toLocaleString('en')} more rows of this page`,
    nl: (count: number) => `Scroll voor nog ${count.toLocaleString('nl')} rijen van deze pagina`,
  },
  onPaper: {
    en: (rows: number, all: number) => `${rows.toLocaleString('en')} of ${all.toLocaleString('en')} rows`,
    nl: (rows: number, all: number) => `${rows.toLocaleString('nl')} van ${all.toLocaleString('nl')} rijen`,
  },
  withoutPlace: {
    en: (events: string) => `${events} without a place`,
    nl: (events: string) => `${events} zonder plaats`,
  },
  pager: {
    title: { en: 'Pages', nl: 'Pagina’s' },
    first: { en: 'First page', nl: 'Eerste pagina' },
    previous: { en: 'Previous page', nl: 'Vorige pagina' },
    next: { en: 'Next page', nl: 'Volgende pagina' },
    last: { en: 'Last page', nl: 'Laatste pagina' },
    page: {
      en: (page: number, last: number) => `Page ${page.toLocaleString('en')} of ${last.toLocaleString('en')}`,
      nl: (page: number, last: number) => `Pagina ${page.toLocaleString('nl')} van ${last.toLocaleString('nl')}`,
    },
    rows: { en: 'Rows', nl: 'Rijen' },
  },
  order: {
    title: { en: 'Order by', nl: 'Sorteer op' },
    noNumbers: {
      en: 'No value starts with a number, so the values cannot be in the order of their size. Order by:',
      nl: 'Geen enkele waarde begint met een getal. De waarden kunnen dus niet op grootte staan. Sorteer op:',
    },
    distance: { en: 'Nearest first', nl: 'Dichtstbijzijnde eerst' },
    /** The two ways of an order by a field, by its kind. */
    ways: {
      instant: { en: ['oldest first', 'newest first'], nl: ['oudste eerst', 'nieuwste eerst'] },
      duration: { en: ['shortest first', 'longest first'], nl: ['kortste eerst', 'langste eerst'] },
      number: { en: ['smallest first', 'largest first'], nl: ['kleinste eerst', 'grootste eerst'] },
      text: { en: ['A to Z', 'Z to A'], nl: ['A–Z', 'Z–A'] },
      other: { en: ['ascending', 'descending'], nl: ['oplopend', 'aflopend'] },
    },
  },
  downloads: {
    title: { en: 'Download', nl: 'Download' },
    about: { en: 'All matching rows, not only this page.', nl: 'Alle rijen die voldoen, niet alleen deze pagina.' },
    uses: {
      en: 'Spreadsheet is for Excel and LibreOffice. CSV is for programs.',
      nl: 'Spreadsheet is voor Excel en LibreOffice. CSV is voor programma’s.',
    },
    failed: {
      en: (name: string) => `The download of ${name} failed. Try again.`,
      nl: (name: string) => `De download van ${name} is mislukt. Probeer het opnieuw.`,
    },
    done: { en: 'The file is stored', nl: 'Het bestand is opgeslagen' },
    cite: {
      en: (counted: string, address: string, day: string) =>
        `Cite as: Event Query Interface, ${counted}, ${address}, retrieved on ${day}.`,
      nl: (counted: string, address: string, day: string) =>
        `Bronvermelding: Event Query Interface, ${counted}, ${address}, opgehaald op ${day}.`,
    },
  },
  chips: {
    title: { en: 'Active filters', nl: 'Actieve filters' },
    clear: { en: 'Clear all', nl: 'Wis alles' },
    edit: { en: (words: string) => `Change ${words}`, nl: (words: string) => `Wijzig ${words}` },
    remove: {
      en: (words: string) => `Remove the filter ${words}`,
      nl: (words: string) => `Verwijder het filter ${words}`,
    },
    count: { en: (count: string) => `${count} without it`, nl: (count: string) => `${count} zonder dit filter` },
  },
  search: {
    label: { en: 'Words', nl: 'Woorden' },
    example: { en: 'Search for words', nl: 'Zoek op woorden' },
  },
  panes: {
    title: { en: 'Parts of this page', nl: 'Delen van deze pagina' },
    rows: { en: 'List', nl: 'Lijst' },
    map: { en: 'Map', nl: 'Kaart' },
    time: { en: 'Time', nl: 'Tijd' },
    filters: { en: 'Filters', nl: 'Filters' },
  },
} satisfies Pairs
