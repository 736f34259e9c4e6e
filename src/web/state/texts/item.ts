/** The texts of single items and the home page. */
export const itemTexts = {
  none: ['–', '–'],
  moreInJson: ['{} more in the JSON below', 'Nog {} in de JSON hieronder'],
  backTo: ['Back to the {}', 'Terug naar de {}'],
  all: ['All {}', 'Alle {}'],
  neighbours: ['The list of this event', 'De lijst van deze gebeurtenis'],
  previous: ['Previous', 'Vorige'],
  next: ['Next', 'Volgende'],
  roots: {
    v3: ['Version 3', 'Versie 3'],
    v4: ['Version 4', 'Versie 4'],
    events: ['Events', 'Gebeurtenissen'],
    eventseries: ['Event series', 'Reeksen'],
    observationtypes: ['Observation types', 'Soorten waarnemingen'],
  },
  event: {
    ofObject: ['Other events of {}', 'Andere gebeurtenissen van {}'],
    ofSeries: ['Other events of {}', 'Andere gebeurtenissen van {}'],
  },
  series: {
    events: ['Events of this series', 'Gebeurtenissen van deze reeks'],
    colour: ['Colour', 'Kleur'],
    observes: ['Observes', 'Soort waarneming'],
    type: ['Observation type', 'Soort waarneming'],
    statistic: ['Statistic', 'Statistiek'],
  },
  /** The texts of the service for the home page. The operator may choose others, which stay as they are. */
  given: {
    Events: ['Events', 'Gebeurtenissen'],
    'Events on a map, over time, and as data.': [
      'Events on a map, over time, and as data.',
      'Gebeurtenissen op een kaart, in de tijd en als data.',
    ],
  },
  home: {
    explore: ['Explore the events', 'Bekijk de gebeurtenissen'],
    newest: ['Newest events', 'Nieuwste gebeurtenissen'],
    allSeries: ['All {} event series', 'Alle {} reeksen'],
    figures: ['{} in {}', '{} in {}'],
  },
  programs: {
    title: ['For programs', 'Voor programma’s'],
    qgis: [
      'Layer, Add Layer, Add WFS / OGC API - Features Layer, New, and this address:',
      'Laag, Laag toevoegen, WFS / OGC API - Features toevoegen, Nieuw, en dit adres:',
    ],
    files: ['Files', 'Bestanden'],
    aboutV3: [
      'has the events as GeoJSON, and the series with their bounds. Times are milliseconds since 1970.',
      'heeft de gebeurtenissen als GeoJSON, en de reeksen met hun grenzen. Tijden zijn milliseconden sinds 1970.',
    ],
    aboutV4: [
      'has the series with their uuid, access level and last change. Times are in ISO 8601.',
      'heeft de reeksen met hun uuid, toegang en laatste wijziging. Tijden zijn in ISO 8601.',
    ],
    aboutOpenApi: [
      'describes every parameter and answer. Try them in',
      'beschrijft elke parameter en elk antwoord. Probeer ze in',
    ],
  },
} as const
