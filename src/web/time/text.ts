import { language } from '../state/text.ts'
import { inLanguage } from '../state/texts/pairs.ts'
import { timeTexts as pairs } from '../state/texts/time.ts'

const TEXTS = { en: inLanguage(pairs, 'en'), nl: inLanguage(pairs, 'nl') }

/** Returns the texts of the graph in the language of the page. The first view does without them. */
export const timeTexts = () => TEXTS[language.value]
