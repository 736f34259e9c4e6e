import { language } from '../text.ts'

/** The usual messages of the service about parameters, and the same in Dutch. Other messages stay English. */
const DUTCH: readonly (readonly [RegExp, string])[] = [
  [/^Enter a whole number, such as 986\.$/, 'Vul een heel getal in, zoals 986.'],
  [/^Enter a whole number from (\d+) to (\d+)\.$/, 'Vul een heel getal van $1 tot en met $2 in.'],
  [/^Enter a number, such as 0\.4\.$/, 'Vul een getal met een punt in, zoals 0.4.'],
  [/^Enter the lowest and the highest value, .*$/, 'Vul de laagste en de hoogste waarde in, met een komma ertussen.'],
  [/^Enter at most (\d+) values, .*$/, 'Vul hoogstens $1 waarden in, met komma’s ertussen.'],
  [/^Enter metres: more than 0, at most (\d+).*$/, 'Vul een aantal meters in: meer dan 0 en hoogstens $1.'],
  [/^Enter a longitude from .*$/, 'Vul een lengte en een breedte in graden in, zoals 5.1,52.1.'],
  [/^Enter radius in metres as well.*$/, 'Vul ook de meters rond die plek in, zoals 10000.'],
  [/^Enter near as well.*$/, 'Vul ook een plek in, zoals 5.1,52.1.'],
  [/^Enter west, south, east and north .*$/, 'Vul west, zuid, oost en noord in graden in, zoals 3,50,8,54.'],
  [
    /^at character \d+: expected a geometry type .*$/s,
    'Dit is geen gebied. Teken het op de kaart, of vul WKT of GeoJSON in, zoals POLYGON ((3 50, 8 50, 8 54, 3 50)).',
  ],
  [
    /^ring (\d+) of the polygon is not closed: it starts at (.*) and ends at (.*); .*$/,
    'Ring $1 van de veelhoek is niet gesloten: hij begint bij $2 en eindigt bij $3. Vul de eerste positie ook als laatste in.',
  ],
  [/^Enter a uuid or its first characters.*$/, 'Vul een uuid of het begin ervan in, zoals 99fe5d0.'],
  [/^Enter <model>\$<object_id>.*$/, 'Vul de soort en het nummer van het object in, zoals airport$$986.'],
  [/^Enter a regular expression .*$/, 'Vul een reguliere expressie (RE2) in, zoals ^tropical (storm|depression)$$.'],
  [/^Unknown parameter\. Did you mean (\w+)\?$/, 'Onbekende parameter. Bedoelt u $1?'],
  [/^Unknown parameter\. (\w+) has the lookups (.*)$/, 'Onbekende parameter. $1 kent deze voorwaarden: $2'],
  [/^Unknown parameter\.$/, 'Onbekende parameter.'],
  [/^Given more than once\. Give it once\.$/, 'Meer dan één keer ingevuld. Vul het één keer in.'],
  [/^A quote is missing\..*$/, 'Er ontbreekt een aanhalingsteken. Zet er twee om een zin, zoals "tropical storm".'],
  [/^A star stands at the end .*$/, 'Een ster staat aan het eind van een woord, buiten aanhalingstekens, zoals flo*.'],
  [/^There is no word.*$/, 'Er staat geen woord. Vul er een in.'],
  [/^Enter at most (\d+) words\.$/, 'Vul hoogstens $1 woorden in.'],
]

/** Returns the messages of the service about a parameter, in the language of the page as far as it knows them. */
export const faultText = (messages: readonly string[]): string =>
  messages.map((message) => (language.value === 'nl' ? inDutch(message) : message)).join(' ')

const inDutch = (message: string): string => {
  const [form, text] = DUTCH.find(([form]) => form.test(message)) ?? []
  return form === undefined || text === undefined ? message : message.replace(form, text)
}
