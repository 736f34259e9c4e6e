/**
 * The messages about values in English, by code. `{0}` stands for the first value. The page has the same codes in
 * Dutch, see src/web/state/texts/faults.ts.
 */
export const MESSAGES = {
  unknown: 'Unknown parameter.',
  meant: 'Did you mean {0}?',
  lookups: '{0} has the lookups {1}.',
  noLookup: 'Enter {0} without a lookup.',
  repeated: 'Given more than once. Give it once.',
  encoding: 'Enter text in UTF-8, percent-encoded.',
  nulCharacter: 'Null characters are not allowed.',
  choice: 'Enter one of {0}.',
  name: 'Enter {0}.',
  boolean: 'Enter true or false.',
  integer: 'Enter a whole number, such as 986.',
  integerBetween: 'Enter a whole number from {0} to {1}.',
  number: 'Enter a number, such as 0.4.',
  range: 'Enter the lowest and the highest value, separated by a comma.',
  tooManyValues: 'Enter at most {0} values, separated by commas.',
  tooManyAttributes: 'Enter at most {0} attributes.',
  tooLong: 'Enter at most {0} characters.',
  tooManyLetters: 'Enter a text with fewer different letters.',
  notFolded:
    'CASEI of this property can be compared only with texts, by =, <>, IN and LIKE. Enter a text, or CASEI of a category, a name or object_type.',
  longLike:
    "a pattern with _ has at most {0} bytes. Enter a shorter pattern, or one without _, such as category LIKE 'tropical%'.",
  largeFilter: 'the filter is too large for the database. Enter fewer comparisons, or IN for lists.',
  position: 'Enter a longitude from -180 to 180 and a latitude from -90 to 90 in degrees: {0}.',
  noRadius: 'Enter radius in metres as well: {0}.',
  metres: 'Enter metres: more than 0, at most {0}, such as {1}.',
  noPosition: 'Enter near as well: {0}.',
  box: 'Enter west, south, east and north in degrees, such as bbox=3,50,8,54.',
  boxUpsideDown:
    'The south of the box is greater than its north. Enter west, south, east and north, such as 3,50,8,54.',
  noGeometry: 'this is not a geometry; enter {0}; or the bytes of WKB, percent-encoded',
  noGeometryType: 'at character {0}: expected a geometry type ({1}), such as POINT (5.1 52.1), found {2}',
  openRing: '{0} is not closed: it starts at {2} and ends at {3}; enter the first position again as the last',
  relativeTime:
    'Enter now, or now with a number of hours (h), days (d) or weeks (w), such as now-7d or now%2B12h (plus as %2B).',
  instant:
    'Enter an instant in ISO 8601, such as 2018-02-05T00:00:00Z or 2018-02-05T00:00:00%2B01:00 (plus as %2B), or milliseconds since 1970, such as 1517834096123.',
  skipped: 'The clock of {0} goes from {1} to {2}. Enter a time before or after that, or one with an offset.',
  noHyphens:
    'Enter a date with hyphens, such as 2018-02-05. {0} looks like a date. If you mean milliseconds since 1970, enter {1}.',
  interval:
    'Enter an instant, a date or an interval, such as 2018-02-05, 2018-02-05T00:00:00Z/2018-02-06T00:00:00Z or 2018-02-05/.. with an open end.',
  intervalBackward: 'The interval ends before it starts. Enter the earlier time first.',
  duration:
    'Enter a duration as [days ][[HH:]MM:]SS, such as 06:00:00, or in ISO 8601 with days, hours, minutes and seconds, such as PT21H2M.',
  uuid: 'Enter a full uuid, such as 99fe5d03-893d-5b20-8244-b9189db33e37.',
  uuidPrefix: 'Enter a uuid or its first characters, such as 99fe5d0. For a number use {0}.',
  object: 'Enter <model>$<object_id>, such as airport$986.',
  attribute: 'Enter attributes__NAME or attributes__NAME__LOOKUP, such as attributes__mag__gte=4.5.',
  anyName: 'CQL2 takes any name, in the collection of its series: /ogc/collections/events-<uuid>/items?filter={0}.',
  pattern:
    'Enter a regular expression in RE2 syntax, such as ^tropical (storm|depression)$. RE2 has no back references and no look-around.',
  longPattern: 'Enter a regular expression of at most {0} characters.',
  largePattern: 'This expression is too large. Enter smaller repetition counts, such as {0,100}.',
  largeRanges: 'The ranges of this expression have too many characters. Enter shorter ranges, such as a-z.',
  noQuote: 'A quote is missing. Enter two around a phrase: "tropical storm".',
  star: 'A star stands at the end of a word, outside of quotes. Enter flo* or "flo".',
  noWord: 'There is no word. Enter {0}.',
  noWordInQuotes: 'There is no word between the quotes. Enter {0}.',
  tooManyWords: 'Enter at most {0} words.',
} as const

export type Code = keyof typeof MESSAGES

/** A sentence of a message: its code and its values. */
export type Sentence = readonly [code: Code, ...values: (string | number)[]]

/** Writes the values of a sentence into a text in any language. */
export const withValues = (text: string, [, ...values]: Sentence): string =>
  text.replace(/\{(\d)\}/g, (_, place: string) => String(values[Number(place)]))

export const inEnglish = (sentence: Sentence): string => withValues(MESSAGES[sentence[0]], sentence)
