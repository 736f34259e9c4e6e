import { language } from '../state/text.ts'
import { mapTexts as pairs } from '../state/texts/map.ts'
import { inLanguage } from '../state/texts/pairs.ts'

const TEXTS = { en: inLanguage(pairs, 'en'), nl: inLanguage(pairs, 'nl') }

/** Returns the texts of the map in the language of the page. The first view does without them. */
export const mapTexts = () => TEXTS[language.value]
