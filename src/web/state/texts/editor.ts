import { zoneName } from '../format.ts'
import { textNamed, textsOf } from '../text.ts'

/** The texts of the editor of a filter, which loads after the first rows. */
export const editorPairs = {
  calendar: ['Choose a day for {}', 'Kies een dag voor {}'],
  attribute: ['Name of the attribute', 'Naam van het kenmerk'],
  area: ['Draw on the map, or paste WKT or GeoJSON', 'Teken op de kaart, of plak WKT of GeoJSON'],
  file: ['File with an area', 'Bestand met een gebied'],
  /** Words for a period that the form understands, with commas between. */
  periods: [
    'today, yesterday, last 24 hours, last 7 days, this week, last month, last quarter, last winter, this year, last year',
    'vandaag, gisteren, afgelopen 24 uur, afgelopen 7 dagen, deze week, vorige maand, vorig kwartaal, afgelopen winter, dit jaar, vorig jaar',
  ],
  /** Examples by the kind of a value. */
  examples: {
    integer: ['986', '986'],
    instant: ['yesterday', 'gisteren'],
    duration: ['90 min, 2 days', '1,5 uur, 2 dagen'],
    uuid: ['full uuid', 'hele uuid'],
    'uuid prefix': ['uuid or its first characters', 'uuid of het begin ervan'],
    object: ['airport$986', 'airport$986'],
    attributes: ['4.5', '4,5'],
    position: ['longitude; latitude: 4.9; 52.4', 'lengte; breedte: 4,9; 52,4'],
    metres: ['10000', '10000'],
    geometry: ['POLYGON ((3 50, 8 50, 8 54, 3 50))', 'POLYGON ((3 50, 8 50, 8 54, 3 50))'],
    box: ['west; south; east; north: 3; 50; 8; 54', 'west; zuid; oost; noord: 3; 50; 8; 54'],
    interval: ['Dec 2025 - Feb 2026', 'dec 2025 - feb 2026'],
  },
  /** For a number with commas in a list. */
  doubt: [
    '{} may be one number or several. Enter {}, or {}.',
    '{} kan één getal zijn of meer getallen. Vul {} in, of {}.',
  ],
  /** Messages for values that the service cannot read. They suit a form better than the messages of the service. */
  faults: {
    instant: [
      'Enter a time in {}, such as 2018-02-05 14:30, 2018-02-05, 2018-02 or 2018, with a zone, such as 2018-02-05T14:30+01:00, or in words, such as yesterday, last 7 days, week 3 2026, Dec 2025 - Feb 2026, winter 2025 (1 December 2025 to 28 February 2026) or winter half-year 2025 (1 October 2025 to 31 March 2026).',
      'Vul een tijd in {} in, zoals 2018-02-05 14:30, 5-2-2018, 2018-02 of 2018, met een zone, zoals 2018-02-05T14:30+01:00, of in woorden, zoals gisteren, afgelopen 7 dagen, week 3 2026, dec 2025 - feb 2026, winter 2025 (1 december 2025 t/m 28 februari 2026) of winterhalfjaar 2025 (1 oktober 2025 t/m 31 maart 2026).',
    ],
    interval: [
      'Enter a day, a month or a period in {}, such as 2018-02-05, Dec 2025 - Feb 2026, 2018-02-05/2018-02-06, week 3 2026 or winter 2025 (1 December 2025 to 28 February 2026).',
      'Vul een dag, een maand of een periode in {} in, zoals 5-2-2018, dec 2025 - feb 2026, 2018-02-05/2018-02-06, week 3 2026 of winter 2025 (1 december 2025 t/m 28 februari 2026).',
    ],
    duration: [
      () => 'Enter a length of time, such as 1.5 hours, 90 min, 2 days, 06:00:00 or PT6H.',
      () => 'Vul een duur in, zoals 1,5 uur, 90 min, 2 dagen, 06:00:00 of PT6H.',
    ],
  },
} as const

export const editorTexts = textsOf(editorPairs)

/** Returns the message about a value of a kind that the service cannot read. Undefined if the page has none. */
export const faultMessage = (kind: string): string | undefined => textNamed(editorTexts().faults, kind)?.(zoneName())
