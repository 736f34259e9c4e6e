import { DUTCH } from '../../../formats/dutch.ts'
import { language, textNamed, textsOf } from '../text.ts'

/** The texts of single items and the home page, which load after the first rows. */
export const detailTexts = textsOf({
  moreInJson: ['{} more in the JSON below', 'Nog {} in de JSON hieronder'],
  backTo: ['Back to the {}', 'Terug naar de {}'],
  all: ['All {}', 'Alle {}'],
  neighbours: ['The list of this event', 'De lijst van deze gebeurtenis'],
  previous: ['Previous', 'Vorige'],
  next: ['Next', 'Volgende'],
  others: ['Other events of {}', 'Andere gebeurtenissen van {}'],
  here: ['Other events at this place', 'Andere gebeurtenissen op deze plek'],
  strip: ['Over time: {}', 'In de tijd: {}'],
  lookups: ['Show {} more: the lookups of these parameters', 'Toon nog {}: de voorwaarden voor deze parameters'],
  series: {
    events: ['Events of this series', 'Gebeurtenissen van deze reeks'],
    observes: ['Observes', 'Soort waarneming'],
    type: ['Observation type', 'Soort waarneming'],
    statistic: ['Statistic', 'Statistiek'],
  },
  home: {
    explore: ['Explore the events', 'Bekijk de gebeurtenissen'],
    allSeries: ['All {} event series', 'Alle {} reeksen'],
    figures: ['{} in {}', '{} in {}'],
    programs: ['For programs', 'Voor programma’s'],
  },
})

/** Returns a text of the service in the language of the page, if the page has it. */
export const inWords = (text: string): string => (language.value === 'nl' && textNamed(DUTCH, text)) || text
