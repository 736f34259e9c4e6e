import type { Pairs } from './pairs.ts'

/** The texts of the graph over time. */
export const timeTexts = {
  title: { en: 'Over time', nl: 'In de tijd' },
  hint: {
    en: 'Click a bar or drag over the bars to choose a period, or use the arrow keys, Shift and Enter',
    nl: 'Klik op een staaf of sleep over de staven om een periode te kiezen, of gebruik de pijltjestoetsen, Shift en Enter',
  },
  all: { en: 'All times', nl: 'Alle tijden' },
  stackBy: { en: 'Stack by', nl: 'Stapel per' },
  nothing: { en: 'not stacked', nl: 'niet gestapeld' },
  event_series: { en: 'by series', nl: 'per reeks' },
  category: { en: 'by category', nl: 'per categorie' },
  scale: { en: 'Scale', nl: 'Schaal' },
  linear: { en: 'linear scale', nl: 'lineaire schaal' },
  root: { en: 'square-root scale', nl: 'wortelschaal' },
  /** The caption of the axis. */
  per: { en: (period: string) => `Events per ${period}`, nl: (period: string) => `Gebeurtenissen per ${period}` },
  hour: { en: 'hour', nl: 'uur' },
  day: { en: 'day', nl: 'dag' },
  week: { en: 'week', nl: 'week' },
  month: { en: 'month', nl: 'maand' },
  quarter: { en: 'quarter', nl: 'kwartaal' },
  year: { en: 'year', nl: 'jaar' },
  years: { en: 'years', nl: 'jaar' },
  /** Between the first and the last bar of a period, which includes both. */
  through: { en: 'to', nl: 't/m' },
  /** The statistics of values. */
  values: {
    en: (sum: string, mean: string) => `values: sum ${sum}, mean ${mean}`,
    nl: (sum: string, mean: string) => `waarden: som ${sum}, gemiddeld ${mean}`,
  },
  none: { en: 'No event in this period', nl: 'Geen gebeurtenis in deze periode' },
  failed: {
    en: 'The graph could not be loaded. Load the page again.',
    nl: 'De grafiek kon niet worden geladen. Laad de pagina opnieuw.',
  },
  unnamed: { en: 'No category', nl: 'Geen categorie' },
  others: { en: 'Others', nl: 'Overige' },
  image: { en: 'Save as PNG', nl: 'Opslaan als PNG' },
  headline: { en: (events: string) => `${events} over time`, nl: (events: string) => `${events} in de tijd` },
} satisfies Pairs
