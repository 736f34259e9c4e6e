import { type Code, type Sentence, withValues } from '../../../base/messages.ts'
import type { Message } from '../service.ts'
import { language } from '../text.ts'

const AREA = 'Teken het op de kaart, of vul WKT of GeoJSON in, zoals POLYGON ((3 50, 8 50, 8 54, 3 50)).'

/** The messages of the service about values in Dutch, by code. */
export const DUTCH = {
  unknown: 'Onbekende parameter.',
  meant: 'Bedoelt u {0}?',
  lookups: '{0} kent deze voorwaarden: {1}.',
  noLookup: 'Vul {0} zonder voorwaarde in.',
  repeated: 'Meer dan één keer ingevuld. Vul het één keer in.',
  encoding: 'Vul tekst in UTF-8 in, met procenttekens gecodeerd.',
  nulCharacter: 'Het teken NUL mag niet.',
  choice: 'Vul een van deze in: {0}.',
  name: 'Vul {0} in.',
  boolean: 'Vul true of false in.',
  integer: 'Vul een heel getal in, zoals 986.',
  integerBetween: 'Vul een heel getal van {0} tot en met {1} in.',
  number: 'Vul een getal in, zoals 0,4 (in een adres 0.4).',
  range: 'Vul de laagste en de hoogste waarde in, met een puntkomma ertussen, zoals 1,5; 2 (in een adres 1.5,2).',
  tooManyValues: 'Vul hoogstens {0} waarden in.',
  tooManyAttributes: 'Vul hoogstens {0} kenmerken in.',
  tooLong: 'Vul hoogstens {0} tekens in.',
  tooManyLetters: 'Vul een tekst met minder verschillende letters in.',
  notFolded:
    'CASEI van deze eigenschap vergelijkt u alleen met teksten, met =, <>, IN en LIKE. Vul een tekst in, of CASEI van een category, een naam of object_type.',
  longLike:
    "Een patroon met _ heeft hoogstens {0} bytes. Vul een korter patroon in, of een zonder _, zoals category LIKE 'tropical%'.",
  largeFilter: 'Het filter is te groot voor de database. Vul minder vergelijkingen in, of IN met een lijst.',
  position: 'Vul een lengte en een breedte in graden in, zoals 5,1; 52,1 (in een adres 5.1,52.1).',
  noRadius: 'Vul ook de meters rond die plek in, zoals 10000.',
  metres: 'Vul een aantal meters in: meer dan 0 en hoogstens {0}.',
  noPosition: 'Vul ook een plek in, zoals 5,1; 52,1 (in een adres 5.1,52.1).',
  box: 'Vul west, zuid, oost en noord in graden in, zoals 3; 50; 8; 54 (in een adres 3,50,8,54).',
  boxUpsideDown:
    'Het zuiden ligt boven het noorden. Vul west, zuid, oost en noord in, zoals 3; 50; 8; 54 (in een adres 3,50,8,54).',
  noGeometry: `Dit is geen gebied. ${AREA}`,
  noGeometryType: `Dit is geen gebied. ${AREA}`,
  openRing:
    'Ring {1} van de veelhoek is niet gesloten: hij begint bij {2} en eindigt bij {3}. Vul de eerste positie ook als laatste in.',
  relativeTime: 'Vul now in, of now met een aantal uren (h), dagen (d) of weken (w), zoals now-7d of now+12h.',
  instant: 'Vul een tijd in ISO 8601 in, zoals 2018-02-05T00:00:00Z, of milliseconden sinds 1970.',
  skipped:
    'De klok van {0} gaat van {1} naar {2}. Vul een tijd daarvoor of daarna in, of een tijd met een verschil met UTC.',
  noHyphens:
    'Vul een datum met streepjes in, zoals 2018-02-05. {0} lijkt op een datum. Bedoelt u milliseconden sinds 1970, vul dan {1} in.',
  interval: 'Vul een tijd, een datum of een periode in, zoals 2018-02-05, 2018-02-05/2018-02-06 of 2018-02-05/..',
  intervalBackward: 'De periode eindigt voordat zij begint. Vul de vroegste tijd als eerste in.',
  duration: 'Vul een duur in als [dagen ][[UU:]MM:]SS, zoals 06:00:00, of in ISO 8601, zoals PT21H2M.',
  uuid: 'Vul een hele uuid in, zoals 99fe5d03-893d-5b20-8244-b9189db33e37.',
  uuidPrefix: 'Vul een uuid of het begin ervan in, zoals 99fe5d0.',
  object: 'Vul de soort en het nummer van het object in, zoals airport$986.',
  attribute: 'Vul attributes__NAAM of attributes__NAAM__VOORWAARDE in, zoals attributes__mag__gte=4.5.',
  anyName: 'CQL2 neemt elke naam, in de collectie van zijn reeks: /ogc/collections/events-<uuid>/items?filter={0}.',
  pattern: 'Vul een reguliere expressie (RE2) in, zoals ^tropical (storm|depression)$.',
  longPattern: 'Vul een reguliere expressie van hoogstens {0} tekens in.',
  largePattern: 'Deze expressie is te groot. Vul kleinere herhalingen in, zoals {0,100}.',
  largeRanges: 'De reeksen van deze expressie hebben te veel tekens. Vul kortere reeksen in, zoals a-z.',
  noQuote: 'Er ontbreekt een aanhalingsteken. Zet er twee om een zin, zoals "tropical storm".',
  star: 'Een ster staat aan het eind van een woord, buiten aanhalingstekens, zoals flo*.',
  noWord: 'Er staat geen woord. Vul er een in.',
  noWordInQuotes: 'Er staat geen woord tussen de aanhalingstekens. Vul er een in.',
  tooManyWords: 'Vul hoogstens {0} woorden in.',
} satisfies Readonly<Record<Code, string>>

/** Returns the messages of the service about a parameter, in the language of the page as far as it knows them. */
export const faultText = (messages: readonly Message[]): string =>
  messages
    .map(({ english, sentences }) =>
      language.value === 'nl' && sentences.length > 0 ? sentences.map(inDutch).join(' ') : english,
    )
    .join(' ')

const inDutch = (sentence: Sentence): string => withValues(DUTCH[sentence[0]], sentence)
