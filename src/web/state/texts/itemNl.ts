import type { itemEn } from './itemEn.ts'

/** The Dutch texts of single items and the home page. */
export const itemNl: typeof itemEn = {
  none: '–',
  moreInJson: (count: number) => `Nog ${count.toLocaleString('nl')} in de JSON hieronder`,
  toList: 'Naar de lijst',
  backTo: (counted: string) => `Terug naar de ${counted}`,
  all: (counted: string) => `Alle ${counted}`,
  neighbours: 'De lijst van deze gebeurtenis',
  previous: 'Vorige',
  next: 'Volgende',
  roots: {
    v3: 'Versie 3',
    v4: 'Versie 4',
    events: 'Gebeurtenissen',
    eventseries: 'Reeksen',
    observationtypes: 'Soorten waarnemingen',
  },
  event: {
    value: 'Waarde',
    category: 'Categorie',
    series: 'Reeks',
    start: 'Begin',
    end: 'Eind',
    duration: 'Duur',
    place: 'Plaats',
    object: 'Object',
    ofObject: (object: string) => `Andere gebeurtenissen van ${object}`,
    ofSeries: (series: string) => `Andere gebeurtenissen van ${series}`,
  },
  series: {
    events: 'Gebeurtenissen van deze reeks',
    description: 'Beschrijving',
    colour: 'Kleur',
    start: 'Begin',
    end: 'Eind',
    observes: 'Neemt waar',
    type: 'Soort waarneming',
    statistic: 'Statistiek',
    access: 'Toegang',
    bounds: 'Grenzen',
  },
  home: {
    explore: 'Bekijk de gebeurtenissen',
    series: 'Reeksen',
    allSeries: (count: number) => `Alle ${count.toLocaleString('nl')} reeksen`,
    figures: (events: string, series: string, first: string, last: string) =>
      `${events} in ${series}${first === '' ? '' : first === last ? `, ${first}` : `, ${first} tot ${last}`}`,
  },
  programs: {
    title: 'Voor programma’s',
    qgis: 'Laag, Laag toevoegen, WFS / OGC API - Features toevoegen, Nieuw, en dit adres:',
    files: 'Bestanden',
    v3: 'Versie 3',
    aboutV3:
      'heeft de gebeurtenissen als GeoJSON, en de reeksen met hun grenzen. Tijden zijn milliseconden sinds 1970.',
    v4: 'Versie 4',
    aboutV4: 'heeft de reeksen met hun uuid, toegang en laatste wijziging. Tijden zijn in ISO 8601.',
    aboutOpenApi: 'beschrijft elke parameter en elk antwoord. Probeer ze in',
  },
}
