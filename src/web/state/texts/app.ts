import type { Pairs } from './pairs.ts'

/** The texts of the frame of the page and its messages. */
export const appTexts = {
  product: { en: 'Event Query Interface', nl: 'Gebeurtenissen' },
  skip: { en: 'To the results', nl: 'Naar de resultaten' },
  crumbs: { en: 'Path to this page', nl: 'Pad naar deze pagina' },
  reference: { en: 'Reference', nl: 'Documentatie' },
  zone: {
    utc: { en: 'UTC', nl: 'UTC' },
    local: { en: 'Local time', nl: 'Lokale tijd' },
    chooseUtc: { en: 'Show times in UTC', nl: 'Toon tijden in UTC' },
    chooseLocal: { en: 'Show times in the zone of this computer', nl: 'Toon tijden in de zone van deze computer' },
  },
  key: {
    enter: { en: 'Enter a key', nl: 'Voer een sleutel in' },
    inUse: { en: 'Key in use', nl: 'Sleutel in gebruik' },
    title: { en: 'Key', nl: 'Sleutel' },
    about: {
      en: 'With a key you see more series. The page stores it in this tab until you close it.',
      nl: 'Met een sleutel ziet u meer reeksen. De pagina bewaart hem in dit tabblad tot u het sluit.',
    },
    label: { en: 'Your key', nl: 'Uw sleutel' },
    use: { en: 'Use key', nl: 'Gebruik sleutel' },
    forget: { en: 'Forget key', nl: 'Vergeet sleutel' },
    cancel: { en: 'Cancel', nl: 'Annuleer' },
    used: { en: 'The key is in use', nl: 'De sleutel is in gebruik' },
    forgotten: { en: 'The key is forgotten', nl: 'De sleutel is vergeten' },
    unknown: {
      en: 'This service does not know the key. Check that you copied all of it, or ask the person who gave it to you.',
      nl: 'Deze dienst kent de sleutel niet. Controleer of u hem helemaal hebt gekopieerd, of vraag degene die hem gaf.',
    },
  },
  api: { en: 'API', nl: 'API' },
  request: { en: 'Request', nl: 'Verzoek' },
  headers: { en: 'Headers of the answer', nl: 'Headers van het antwoord' },
  body: { en: 'Body of the answer', nl: 'Inhoud van het antwoord' },
  raw: { en: 'Raw JSON', nl: 'Ruwe JSON' },
  copy: {
    curl: { en: 'Copy as curl', nl: 'Kopieer als curl' },
    done: { en: 'Copied', nl: 'Gekopieerd' },
    failed: { en: 'Not copied', nl: 'Niet gekopieerd' },
  },
  noAnswer: {
    en: 'The service did not answer. Check your connection, then try again.',
    nl: 'De dienst antwoordde niet. Controleer uw verbinding en probeer het opnieuw.',
  },
  notChanged: { en: 'Not changed: a value is not valid', nl: 'Niet veranderd: een waarde is niet geldig' },
  status: {
    en: (status: number) => `The service answered with status ${status}.`,
    nl: (status: number) => `De dienst antwoordde met status ${status}.`,
  },
  incomplete: {
    en: 'A part of this page could not be loaded.',
    nl: 'Een deel van deze pagina kon niet worden geladen.',
  },
  broken: {
    en: 'This page cannot show the answer of the service.',
    nl: 'Deze pagina kan het antwoord van de dienst niet tonen.',
  },
  retry: { en: 'Try again', nl: 'Probeer opnieuw' },
  after: { en: (seconds: number) => `after ${seconds} s`, nl: (seconds: number) => `over ${seconds} s` },
  missing: {
    en: 'Nothing is at this address, or you need a key to see it.',
    nl: 'Op dit adres staat niets, of u hebt een sleutel nodig om het te zien.',
  },
  toList: { en: 'To the list', nl: 'Naar de lijst' },
  home: { en: 'Home', nl: 'Startpagina' },
  notFound: { en: 'Not found', nl: 'Niet gevonden' },
  error: { en: (status: number) => `Error ${status}`, nl: (status: number) => `Fout ${status}` },
  beyond: {
    en: (page: string) => `This list has no page ${page}.`,
    nl: (page: string) => `Deze lijst heeft geen pagina ${page}.`,
  },
  firstPage: { en: 'Go to page 1', nl: 'Naar pagina 1' },
  faulty: {
    en: (count: number) =>
      count === 1 ? 'A part of the address is not valid.' : `${count} parts of the address are not valid.`,
    nl: (count: number) =>
      count === 1 ? 'Een deel van het adres is niet geldig.' : `${count} delen van het adres zijn niet geldig.`,
  },
  correct: { en: 'Correct the values, then press Apply.', nl: 'Verbeter de waarden en druk op Toepassen.' },
  leaveOut: { en: 'Leave it out', nl: 'Laat weg' },
  use: { en: (name: string) => `Use ${name}`, nl: (name: string) => `Gebruik ${name}` },
} satisfies Pairs
