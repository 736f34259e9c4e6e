import { textsOf } from '../state/text.ts'

/** The texts of the graph over time. */
export const timeTexts = textsOf({
  title: ['Over time', 'In de tijd'],
  hint: [
    'Click a bar or drag over the bars to choose a period, or use the arrow keys, Shift and Enter',
    'Klik op een staaf of sleep over de staven om een periode te kiezen, of gebruik de pijltjestoetsen, Shift en Enter',
  ],
  all: ['All times', 'Alle tijden'],
  stackBy: ['Stack by', 'Stapel per'],
  nothing: ['not stacked', 'niet gestapeld'],
  event_series: ['by series', 'per reeks'],
  category: ['by category', 'per categorie'],
  scale: ['Scale', 'Schaal'],
  linear: ['linear scale', 'lineaire schaal'],
  root: ['square-root scale', 'wortelschaal'],
  /** The caption of the axis. */
  per: ['Events per {}', 'Gebeurtenissen per {}'],
  hour: ['hour', 'uur'],
  day: ['day', 'dag'],
  week: ['week', 'week'],
  month: ['month', 'maand'],
  quarter: ['quarter', 'kwartaal'],
  year: ['year', 'jaar'],
  years: ['years', 'jaar'],
  /** Between the first and the last bar of a period, which includes both. */
  through: ['to', 't/m'],
  /** The statistics of values. */
  values: ['values: sum {}, mean {}', 'waarden: som {}, gemiddeld {}'],
  none: ['No event in this period', 'Geen gebeurtenis in deze periode'],
  failed: [
    'The graph could not be loaded. Load the page again.',
    'De grafiek kon niet worden geladen. Laad de pagina opnieuw.',
  ],
  unnamed: ['No category', 'Geen categorie'],
  others: ['Others', 'Overige'],
  image: ['Save as PNG', 'Opslaan als PNG'],
  headline: ['{} over time', '{} in de tijd'],
})
