import { signal } from '@preact/signals'
import { appTexts } from './texts/app.ts'
import { formTexts } from './texts/form.ts'
import { itemTexts } from './texts/item.ts'
import { listTexts } from './texts/list.ts'
import { inLanguage, type Language } from './texts/pairs.ts'
import { unitTexts } from './texts/units.ts'

const PAIRS = {
  units: unitTexts,
  app: appTexts,
  list: listTexts,
  form: formTexts,
  item: itemTexts,
}
const TEXTS = { en: inLanguage(PAIRS, 'en'), nl: inLanguage(PAIRS, 'nl') }

/** Reads a choice of the user that stays for later visits. Null without one, or if the browser blocks its storage. */
export const readStored = (name: string): string | null => {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Stores a choice for later visits. A browser that blocks its storage forgets it. */
export const keepStored = (name: string, value: string): void => {
  try {
    localStorage.setItem(name, value)
  } catch {}
}

const STORED = 'language'

const isLanguage = (name: string | undefined): name is Language => name !== undefined && name in TEXTS

/** Returns the stored language, or else the first language of the browser that the page has. */
const preferred = (): Language => {
  const wanted = [readStored(STORED) ?? '', ...navigator.languages].map((tag) => tag.split('-')[0])
  return wanted.find(isLanguage) ?? 'en'
}

/** The language of the page. */
export const language = signal<Language>(preferred())

/** Changes the language, also for later visits. */
export const chooseLanguage = (chosen: Language): void => {
  keepStored(STORED, chosen)
  language.value = chosen
}

// Tests without a browser have no document.
if (typeof document !== 'undefined')
  language.subscribe((chosen) => {
    document.documentElement.lang = chosen
  })

/** Returns the text with a name that an address or an answer gives. Undefined if the page has none. */
export const textNamed = <Text>(texts: Readonly<Record<string, Text>>, name: string): Text | undefined => texts[name]

/** Returns the texts in the language of the page. A component that calls it renders again if the language changes. */
export const texts = () => TEXTS[language.value]

/** Returns a text of the service in the language of the page, if the page has it. */
export const inWords = (text: string): string => textNamed<string>(texts().item.given, text) ?? text
