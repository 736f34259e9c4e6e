import { computed, signal } from '@preact/signals'
import { appTexts, itemTexts, unitTexts } from './texts/app.ts'
import { formTexts, listTexts } from './texts/list.ts'

/** The languages of the page. Texts of the service stay English. */
const LANGUAGES = ['en', 'nl'] as const
type Language = (typeof LANGUAGES)[number]

/**
 * Texts by their names, each in English and in Dutch. `{}` stands for a value. If a text depends on a number, `|` is
 * between the text for one and the text for others.
 */
export interface Pairs {
  readonly [name: string]: readonly [english: unknown, dutch: unknown] | Pairs
}

type Values<Text> = Text extends `${string}{}${infer Rest}` ? [value: string | number, ...Values<Rest>] : []

type Said<Text> = Text extends `${string}|${infer Others}`
  ? (...values: Values<Others>) => string
  : Text extends `${string}{}${string}`
    ? (...values: Values<Text>) => string
    : Text extends string
      ? string
      : Text

type InLanguage<Texts> = {
  readonly [Name in keyof Texts]: Texts[Name] extends readonly [infer Text, unknown]
    ? Said<Text>
    : InLanguage<Texts[Name]>
}

/** Returns a text of the page's language, or the function that fills in its values. Numbers get the marks of it. */
const said = (text: unknown): unknown => {
  if (typeof text !== 'string' || !/\{\}|\|/.test(text)) return text
  const [one = '', others = one] = text.split('|')
  return (...values: readonly (string | number)[]) => {
    const [first = '', ...parts] = (values[0] === 1 ? one : others).split('{}')
    return first + parts.map((part, i) => (values[i] ?? '').toLocaleString(language.value) + part).join('')
  }
}

const inLanguage = (pairs: Pairs): object =>
  Object.fromEntries(
    Object.entries(pairs).map(([name, pair]) => [
      name,
      Array.isArray(pair) ? said(pair[LANGUAGES.indexOf(language.value)]) : inLanguage(pair as Pairs),
    ]),
  )

/** The storage of a browser for later visits, or until the tab closes. */
type Storage = 'localStorage' | 'sessionStorage'

/** What the page keeps itself, if the browser blocks or has filled its storage. */
const kept = new Map<string, string>()

/** Returns a text that the browser or the page keeps. Null without one. */
export const readKept = (storage: Storage, name: string): string | null => {
  try {
    return kept.get(name) ?? globalThis[storage].getItem(name)
  } catch {
    return kept.get(name) ?? null
  }
}

/** Keeps a text, or removes it if it is null. If the browser blocks its storage, it stays until the page closes. */
export const keep = (storage: Storage, name: string, text: string | null): void => {
  kept.delete(name)
  try {
    if (text === null) globalThis[storage].removeItem(name)
    else globalThis[storage].setItem(name, text)
  } catch {
    if (text !== null) kept.set(name, text)
  }
}

const STORED = 'language'

const isLanguage = (name: string | undefined): name is Language => LANGUAGES.some((each) => each === name)

/** Returns the stored language, or else the first language of the browser that the page has. */
const preferred = (): Language => {
  const wanted = [readKept('localStorage', STORED) ?? '', ...navigator.languages].map((tag) => tag.split('-')[0])
  return wanted.find(isLanguage) ?? 'en'
}

/** The language of the page. */
export const language = signal<Language>(preferred())

/** Changes the language, also for later visits. */
export const chooseLanguage = (chosen: Language): void => {
  keep('localStorage', STORED, chosen)
  language.value = chosen
}

// Tests without a browser have no document.
if (typeof document !== 'undefined')
  language.subscribe((chosen) => {
    document.documentElement.lang = chosen
  })

/** Returns the text with a name that an address or an answer gives. Undefined if the page has none. */
export const textNamed = <Text>(texts: Readonly<Record<string, Text>>, name: string): Text | undefined => texts[name]

/** Returns what gives texts in the language of the page. A component that calls it renders again in another language. */
export const textsOf = <const Texts extends Pairs>(pairs: Texts): (() => InLanguage<Texts>) => {
  const texts = computed(() => inLanguage(pairs) as InLanguage<Texts>)
  return () => texts.value
}

/** The texts that the first view needs. */
export const texts = textsOf({ units: unitTexts, app: appTexts, list: listTexts, form: formTexts, item: itemTexts })
