/** The texts of the frame of the page and its messages. */
export const appTexts = {
  skip: ['To the results', 'Naar de resultaten'],
  crumbs: ['Path to this page', 'Pad naar deze pagina'],
  share: ['Copy link', 'Kopieer link'],
  reference: ['Reference', 'Documentatie'],
  zone: {
    utc: ['UTC', 'UTC'],
    local: ['Local time', 'Lokale tijd'],
    chooseUtc: ['Show times in UTC', 'Toon tijden in UTC'],
    chooseLocal: ['Show times in the zone of this computer', 'Toon tijden in de zone van deze computer'],
  },
  key: {
    enter: ['Enter a key', 'Voer een sleutel in'],
    inUse: ['Key in use', 'Sleutel in gebruik'],
    title: ['Key', 'Sleutel'],
    about: [
      'With a key you see more series. The page stores it in this tab until you close it.',
      'Met een sleutel ziet u meer reeksen. De pagina bewaart hem in dit tabblad tot u het sluit.',
    ],
    label: ['Your key', 'Uw sleutel'],
    use: ['Use key', 'Gebruik sleutel'],
    forget: ['Forget key', 'Vergeet sleutel'],
    cancel: ['Cancel', 'Annuleer'],
    unknown: [
      'This service does not know the key. Perhaps the key has expired. Check that you copied the whole key, or ask the person who gave it to you.',
      'Deze dienst kent de sleutel niet. Misschien is hij verlopen. Controleer of u hem helemaal hebt gekopieerd, of vraag degene die hem gaf.',
    ],
  },
  api: ['API', 'API'],
  request: ['Request', 'Verzoek'],
  headers: ['Headers of the answer', 'Headers van het antwoord'],
  body: ['Body of the answer', 'Inhoud van het antwoord'],
  raw: ['Raw JSON', 'Ruwe JSON'],
  copy: {
    curl: ['Copy as curl', 'Kopieer als curl'],
    done: ['Copied', 'Gekopieerd'],
    failed: ['Not copied', 'Niet gekopieerd'],
  },
  noAnswer: [
    'The service did not answer. Check your connection, then try again.',
    'De dienst antwoordde niet. Controleer uw verbinding en probeer het opnieuw.',
  ],
  notChanged: ['Not changed: a value is not valid', 'Niet veranderd: een waarde is niet geldig'],
  status: ['The service answered with status {}.', 'De dienst antwoordde met status {}.'],
  incomplete: ['A part of this page could not be loaded.', 'Een deel van deze pagina kon niet worden geladen.'],
  notLoaded: ['This could not be loaded.', 'Dit kon niet worden geladen.'],
  failed: ['This could not be loaded. Load the page again.', 'Dit kon niet worden geladen. Laad de pagina opnieuw.'],
  broken: ['This page cannot show the answer.', 'Deze pagina kan het antwoord niet tonen.'],
  retry: ['Try again', 'Probeer opnieuw'],
  after: ['after {} s', 'over {} s'],
  missing: [
    'Nothing is at this address, or you need a key to see it.',
    'Op dit adres staat niets, of u hebt een sleutel nodig om het te zien.',
  ],
  toList: ['To the list', 'Naar de lijst'],
  home: ['Home', 'Startpagina'],
  notFound: ['Not found', 'Niet gevonden'],
  error: ['Error {}', 'Fout {}'],
  beyond: ['This list has no page {}.', 'Deze lijst heeft geen pagina {}.'],
  firstPage: ['Go to page 1', 'Naar pagina 1'],
  faulty: [
    'A part of the address is not valid.|{} parts of the address are not valid.',
    'Een deel van het adres is niet geldig.|{} delen van het adres zijn niet geldig.',
  ],
  correct: ['Correct the values, or leave them out.', 'Verbeter de waarden, of laat ze weg.'],
  leaveOut: ['Leave it out', 'Laat weg'],
  use: ['Use {}', 'Gebruik {}'],
} as const

/** The names of units and zones. */
export const unitTexts = {
  source: ['Source', 'Bron'],
  day: ['d', 'd'],
  hour: ['h', 'u'],
  minute: ['min', 'min'],
  second: ['s', 's'],
  millisecond: ['ms', 'ms'],
  /** Between the two ends of a range. */
  until: ['–', '–'],
  north: ['N', 'N'],
  south: ['S', 'Z'],
  east: ['E', 'O'],
  west: ['W', 'W'],
  utc: ['UTC', 'UTC'],
  local: ['local time', 'lokale tijd'],
} as const

/** The names of lists. */
export const itemTexts = {
  none: ['–', '–'],
  roots: {
    ogc: ['OGC API', 'OGC API'],
    collections: ['Collections', 'Collecties'],
    v3: ['Version 3', 'Versie 3'],
    v4: ['Version 4', 'Versie 4'],
    events: ['Events', 'Gebeurtenissen'],
    eventseries: ['Event series', 'Reeksen'],
    observationtypes: ['Observation types', 'Soorten waarnemingen'],
  },
} as const
