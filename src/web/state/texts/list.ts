/** The names of one row and of many. */
const NOUNS = {
  events: { en: ['event', 'events'], nl: ['gebeurtenis', 'gebeurtenissen'] },
  series: { en: ['event series', 'event series'], nl: ['reeks', 'reeksen'] },
  types: { en: ['observation type', 'observation types'], nl: ['soort waarneming', 'soorten waarnemingen'] },
} as const

type Noun = keyof typeof NOUNS

const countedIn = (language: 'en' | 'nl') => (noun: Noun, count: number) =>
  `${count.toLocaleString(language)} ${NOUNS[noun][language][count === 1 ? 0 : 1]}`

/** The texts of lists. */
export const listTexts = {
  counted: [countedIn('en'), countedIn('nl')],
  event: ['Event {}', 'Gebeurtenis {}'],
  ofSeries: [
    (count: number | undefined, name: string) =>
      count === undefined ? `of ${name}` : `${count === 1 ? 'event' : 'events'} of ${name}`,
    (count: number | undefined, name: string) =>
      count === undefined ? `van ${name}` : `${count === 1 ? 'gebeurtenis' : 'gebeurtenissen'} van ${name}`,
  ],
  columns: {
    title: ['Columns', 'Kolommen'],
    start: ['Start', 'Begin'],
    end: ['End', 'Eind'],
    externalId: ['Id at its source', 'Id bij de bron'],
    events: ['Events', 'Gebeurtenissen'],
    access: ['Access', 'Toegang'],
    bounds: ['Bounds', 'Grenzen'],
    description: ['Description', 'Beschrijving'],
    created: ['Created', 'Opgeslagen'],
    last_modified: ['Last changed', 'Laatste wijziging'],
  },
  empty: [
    (_: Noun) => 'Nothing matches. Remove a filter, or make its range wider.',
    (noun: Noun) => `Geen ${NOUNS[noun].nl[1]} gevonden. Verwijder een filter, of maak het ruimer.`,
  ],
  moreRows: ['Scroll to see {} more rows of this page', 'Scroll voor nog {} rijen van deze pagina'],
  onPaper: ['{} of {} rows', '{} van {} rijen'],
  withoutPlace: ['{} without a place', '{} zonder plaats'],
  pager: {
    title: ['Pages', 'Pagina’s'],
    first: ['First page', 'Eerste pagina'],
    previous: ['Previous page', 'Vorige pagina'],
    next: ['Next page', 'Volgende pagina'],
    last: ['Last page', 'Laatste pagina'],
    page: ['Page {} of {}', 'Pagina {} van {}'],
    rows: ['Rows', 'Rijen'],
  },
  order: {
    title: ['Order by', 'Sorteer op'],
    distance: ['Nearest first', 'Dichtstbijzijnde eerst'],
    /** Both ways of an order by a field, by its kind. */
    ways: {
      instant: ['oldest first, newest first', 'oudste eerst, nieuwste eerst'],
      duration: ['shortest first, longest first', 'kortste eerst, langste eerst'],
      number: ['smallest first, largest first', 'kleinste eerst, grootste eerst'],
      text: ['A to Z, Z to A', 'A–Z, Z–A'],
      other: ['ascending, descending', 'oplopend, aflopend'],
    },
  },
  search: {
    label: ['Words', 'Woorden'],
    example: ['Search for words', 'Zoek op woorden'],
  },
  panes: {
    title: ['Parts of this page', 'Delen van deze pagina'],
    rows: ['List', 'Lijst'],
    map: ['Map', 'Kaart'],
    time: ['Time', 'Tijd'],
    filters: ['Filters', 'Filters'],
    hide: ['Hide map', 'Verberg kaart'],
    show: ['Show map', 'Toon kaart'],
  },
} as const

/** The texts of the filter form and of the facets. */
export const formTexts = {
  filter: ['Filter', 'Filter'],
  fieldsTitle: ['Add a filter', 'Voeg een filter toe'],
  groups: {
    what: ['What', 'Wat'],
    where: ['Where', 'Waar'],
    when: ['When', 'Wanneer'],
    more: ['More', 'Meer'],
  },
  apply: ['Apply', 'Toepassen'],
  cancel: ['Cancel', 'Annuleer'],
  any: ['any', 'alle'],
  yes: ['yes', 'ja'],
  no: ['no', 'nee'],
  lookupOf: ['Condition on {}', 'Voorwaarde voor {}'],
  lookups: {
    '': ['is', 'is'],
    exact: ['is exactly', 'is precies'],
    iexact: ['is, ignoring case', 'is, ook met andere hoofdletters'],
    contains: ['contains (same case)', 'bevat (zelfde hoofdletters)'],
    icontains: ['contains', 'bevat'],
    startswith: ['starts with (same case)', 'begint met (zelfde hoofdletters)'],
    istartswith: ['starts with', 'begint met'],
    endswith: ['ends with (same case)', 'eindigt op (zelfde hoofdletters)'],
    iendswith: ['ends with', 'eindigt op'],
    in: ['is one of (a, b)', 'is één van (a, b)'],
    not: ['is not', 'is niet'],
    exact__not: ['is not exactly', 'is niet precies'],
    in__not: ['is none of (a, b)', 'is geen van (a, b)'],
    isnull: ['is missing', 'ontbreekt'],
    regex: ['matches (same case)', 'past op patroon (zelfde hoofdletters)'],
    iregex: ['matches', 'past op patroon'],
    lt: ['less than', 'minder dan'],
    lte: ['at most', 'hoogstens'],
    gt: ['more than', 'meer dan'],
    gte: ['at least', 'minstens'],
    range: ['from, to (a, b)', 'van, tot en met (a, b)'],
  },
  lookupsOfInstants: {
    '': ['in', 'in'],
    lt: ['before', 'vóór'],
    lte: ['until', 't/m'],
    gt: ['after', 'na'],
    gte: ['from', 'vanaf'],
    range: ['from, until (a, b)', 'van, tot en met (a, b)'],
  },
  /** Words for the values of fields with a choice. */
  choices: {
    event_series: ['of each series', 'van elke reeks'],
  },
  facets: { search: ['Search {}', 'Zoek in {}'] },
} as const
