import type { Pairs } from './pairs.ts'

/** The texts of the filter form and of the facets. */
export const formTexts = {
  filter: { en: 'Filter', nl: 'Filter' },
  fieldsTitle: { en: 'Add a filter', nl: 'Voeg een filter toe' },
  groups: {
    what: { en: 'What', nl: 'Wat' },
    where: { en: 'Where', nl: 'Waar' },
    when: { en: 'When', nl: 'Wanneer' },
    more: { en: 'More', nl: 'Meer' },
  },
  apply: { en: 'Apply', nl: 'Toepassen' },
  cancel: { en: 'Cancel', nl: 'Annuleer' },
  any: { en: 'any', nl: 'alle' },
  yes: { en: 'yes', nl: 'ja' },
  no: { en: 'no', nl: 'nee' },
  lookupOf: { en: (field: string) => `Condition on ${field}`, nl: (field: string) => `Voorwaarde voor ${field}` },
  calendar: { en: (field: string) => `Choose a day for ${field}`, nl: (field: string) => `Kies een dag voor ${field}` },
  attribute: { en: 'Name of the attribute', nl: 'Naam van het kenmerk' },
  area: {
    en: 'Draw on the map, or paste WKT or GeoJSON',
    nl: 'Teken op de kaart, of plak WKT of GeoJSON',
  },
  file: { en: 'File with an area', nl: 'Bestand met een gebied' },
  /** Words for a period that the form understands. */
  periods: {
    en: [
      'today',
      'yesterday',
      'last 24 hours',
      'last 7 days',
      'this week',
      'last month',
      'last quarter',
      'last winter',
      'this year',
      'last year',
    ],
    nl: [
      'vandaag',
      'gisteren',
      'afgelopen 24 uur',
      'afgelopen 7 dagen',
      'deze week',
      'vorige maand',
      'vorig kwartaal',
      'afgelopen winter',
      'dit jaar',
      'vorig jaar',
    ],
  },
  lookups: {
    '': { en: 'is', nl: 'is' },
    exact: { en: 'is exactly', nl: 'is precies' },
    iexact: { en: 'is, ignoring case', nl: 'is, ook met andere hoofdletters' },
    contains: { en: 'contains (same case)', nl: 'bevat (zelfde hoofdletters)' },
    icontains: { en: 'contains', nl: 'bevat' },
    startswith: { en: 'starts with (same case)', nl: 'begint met (zelfde hoofdletters)' },
    istartswith: { en: 'starts with', nl: 'begint met' },
    endswith: { en: 'ends with (same case)', nl: 'eindigt op (zelfde hoofdletters)' },
    iendswith: { en: 'ends with', nl: 'eindigt op' },
    in: { en: 'is one of (a, b)', nl: 'is één van (a, b)' },
    not: { en: 'is not', nl: 'is niet' },
    exact__not: { en: 'is not exactly', nl: 'is niet precies' },
    in__not: { en: 'is none of (a, b)', nl: 'is geen van (a, b)' },
    isnull: { en: 'is missing', nl: 'ontbreekt' },
    regex: { en: 'matches (same case)', nl: 'past op patroon (zelfde hoofdletters)' },
    iregex: { en: 'matches', nl: 'past op patroon' },
    lt: { en: 'less than', nl: 'minder dan' },
    lte: { en: 'at most', nl: 'hoogstens' },
    gt: { en: 'more than', nl: 'meer dan' },
    gte: { en: 'at least', nl: 'minstens' },
    range: { en: 'from, to (a, b)', nl: 'van, tot en met (a, b)' },
  },
  lookupsOfInstants: {
    '': { en: 'in', nl: 'in' },
    lt: { en: 'before', nl: 'vóór' },
    lte: { en: 'until', nl: 't/m' },
    gt: { en: 'after', nl: 'na' },
    gte: { en: 'from', nl: 'vanaf' },
    range: { en: 'from, until (a, b)', nl: 'van, tot en met (a, b)' },
  },
  /** Examples by the kind of a value. */
  examples: {
    integer: { en: '986', nl: '986' },
    instant: { en: 'yesterday', nl: 'gisteren' },
    duration: { en: '90 min, 2 days', nl: '1,5 uur, 2 dagen' },
    uuid: { en: 'full uuid', nl: 'hele uuid' },
    'uuid prefix': { en: 'uuid or its first characters', nl: 'uuid of het begin ervan' },
    object: { en: 'airport$986', nl: 'airport$986' },
    attributes: { en: '4.5', nl: '4,5' },
    position: { en: 'longitude,latitude: 4.9,52.4', nl: 'lengte,breedte: 4.9,52.4' },
    metres: { en: '10000', nl: '10000' },
    geometry: { en: 'POLYGON ((3 50, 8 50, 8 54, 3 50))', nl: 'POLYGON ((3 50, 8 50, 8 54, 3 50))' },
    box: { en: 'west,south,east,north: 3,50,8,54', nl: 'west,zuid,oost,noord: 3,50,8,54' },
    interval: { en: 'Dec 2025 - Feb 2026', nl: 'dec 2025 - feb 2026' },
  },
  /** Messages for values that the service cannot read. They suit a form better than the messages of the service. */
  faults: {
    instant: {
      en: (zone: string) =>
        `Enter a time in ${zone}, such as 2018-02-05 14:30, 2018-02-05, 2018-02 or 2018, with a zone, such as 2018-02-05T14:30+01:00, or in words, such as yesterday, last 7 days, week 3 2026, Dec 2025 - Feb 2026 or winter 2025 (1 December 2025 to 28 February 2026).`,
      nl: (zone: string) =>
        `Vul een tijd in ${zone} in, zoals 2018-02-05 14:30, 5-2-2018, 2018-02 of 2018, met een zone, zoals 2018-02-05T14:30+01:00, of in woorden, zoals gisteren, afgelopen 7 dagen, week 3 2026, dec 2025 - feb 2026 of winter 2025 (1 december 2025 t/m 28 februari 2026).`,
    },
    interval: {
      en: (zone: string) =>
        `Enter a day, a month or a period in ${zone}, such as 2018-02-05, Dec 2025 - Feb 2026, 2018-02-05/2018-02-06, week 3 2026 or winter 2025 (1 December 2025 to 28 February 2026).`,
      nl: (zone: string) =>
        `Vul een dag, een maand of een periode in ${zone} in, zoals 5-2-2018, dec 2025 - feb 2026, 2018-02-05/2018-02-06, week 3 2026 of winter 2025 (1 december 2025 t/m 28 februari 2026).`,
    },
    duration: {
      en: () => 'Enter a length of time, such as 1.5 hours, 90 min, 2 days, 06:00:00 or PT6H.',
      nl: () => 'Vul een duur in, zoals 1,5 uur, 90 min, 2 dagen, 06:00:00 of PT6H.',
    },
  },
  /** Words for the values of fields with a choice. */
  choices: {
    event_series: { en: 'of each series', nl: 'van elke reeks' },
  },
  facets: {
    event_series: { en: 'Series', nl: 'Reeksen' },
    category: { en: 'Categories', nl: 'Categorieën' },
    object_type__model: { en: 'Objects', nl: 'Objecten' },
    without: { en: 'without', nl: 'zonder' },
    failed: {
      en: 'The series and categories could not be counted. Load the page again.',
      nl: 'De reeksen en categorieën konden niet worden geteld. Laad de pagina opnieuw.',
    },
    search: {
      en: (facet: string) => `Search ${facet.toLowerCase()}`,
      nl: (facet: string) => `Zoek in ${facet.toLowerCase()}`,
    },
    more: { en: (count: string) => `${count} more`, nl: (count: string) => `nog ${count}` },
    fewer: { en: 'Fewer', nl: 'Minder' },
    beyond: { en: (count: string) => `${count} more by search`, nl: (count: string) => `nog ${count} met zoeken` },
  },
} satisfies Pairs
