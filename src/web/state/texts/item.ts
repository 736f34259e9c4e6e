import type { Pairs } from './pairs.ts'

/** The texts of single items and the home page. */
export const itemTexts = {
  none: { en: '–', nl: '–' },
  moreInJson: {
    en: (count: number) => `${count.toLocaleString('en')} more in the JSON below`,
    nl: (count: number) => `Nog ${count.toLocaleString('nl')} in de JSON hieronder`,
  },
  backTo: { en: (counted: string) => `Back to the ${counted}`, nl: (counted: string) => `Terug naar de ${counted}` },
  all: { en: (counted: string) => `All ${counted}`, nl: (counted: string) => `Alle ${counted}` },
  neighbours: { en: 'The list of this event', nl: 'De lijst van deze gebeurtenis' },
  previous: { en: 'Previous', nl: 'Vorige' },
  next: { en: 'Next', nl: 'Volgende' },
  roots: {
    v3: { en: 'Version 3', nl: 'Versie 3' },
    v4: { en: 'Version 4', nl: 'Versie 4' },
    events: { en: 'Events', nl: 'Gebeurtenissen' },
    eventseries: { en: 'Event series', nl: 'Reeksen' },
    observationtypes: { en: 'Observation types', nl: 'Soorten waarnemingen' },
  },
  event: {
    ofObject: {
      en: (object: string) => `Other events of ${object}`,
      nl: (object: string) => `Andere gebeurtenissen van ${object}`,
    },
    ofSeries: {
      en: (series: string) => `Other events of ${series}`,
      nl: (series: string) => `Andere gebeurtenissen van ${series}`,
    },
  },
  series: {
    events: { en: 'Events of this series', nl: 'Gebeurtenissen van deze reeks' },
    colour: { en: 'Colour', nl: 'Kleur' },
    observes: { en: 'Observes', nl: 'Soort waarneming' },
    type: { en: 'Observation type', nl: 'Soort waarneming' },
    statistic: { en: 'Statistic', nl: 'Statistiek' },
  },
  /** The texts of the service for the home page. The operator may choose others, which stay as they are. */
  given: {
    Events: { en: 'Events', nl: 'Gebeurtenissen' },
    'Events on a map, over time, and as data.': {
      en: 'Events on a map, over time, and as data.',
      nl: 'Gebeurtenissen op een kaart, in de tijd en als data.',
    },
  },
  home: {
    explore: { en: 'Explore the events', nl: 'Bekijk de gebeurtenissen' },
    newest: { en: 'Newest events', nl: 'Nieuwste gebeurtenissen' },
    allSeries: {
      en: (count: number) => `All ${count.toLocaleString('en')} event series`,
      nl: (count: number) => `Alle ${count.toLocaleString('nl')} reeksen`,
    },
    figures: {
      en: (events: string, series: string) => `${events} in ${series}`,
      nl: (events: string, series: string) => `${events} in ${series}`,
    },
  },
  programs: {
    title: { en: 'For programs', nl: 'Voor programma’s' },
    qgis: {
      en: 'Layer, Add Layer, Add WFS / OGC API - Features Layer, New, and this address:',
      nl: 'Laag, Laag toevoegen, WFS / OGC API - Features toevoegen, Nieuw, en dit adres:',
    },
    files: { en: 'Files', nl: 'Bestanden' },
    aboutV3: {
      en: 'has the events as GeoJSON, and the series with their bounds. Times are milliseconds since 1970.',
      nl: 'heeft de gebeurtenissen als GeoJSON, en de reeksen met hun grenzen. Tijden zijn milliseconden sinds 1970.',
    },
    aboutV4: {
      en: 'has the series with their uuid, access level and last change. Times are in ISO 8601.',
      nl: 'heeft de reeksen met hun uuid, toegang en laatste wijziging. Tijden zijn in ISO 8601.',
    },
    aboutOpenApi: {
      en: 'describes every parameter and answer. Try them in',
      nl: 'beschrijft elke parameter en elk antwoord. Probeer ze in',
    },
  },
} satisfies Pairs
