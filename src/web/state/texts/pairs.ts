/** The languages of the page. Texts of the service stay English. */
export type Language = 'en' | 'nl'

/** A text in both languages. A function fills in numbers and names. */
export type Pair<Text = unknown> = Readonly<Record<Language, Text>>

/** Texts by their names, in sections. */
export interface Pairs {
  readonly [name: string]: Pair | Pairs
}

/** The same texts in one language. */
export type InLanguage<Texts> = {
  readonly [Name in keyof Texts]: Texts[Name] extends Pair<infer Text> ? Text : InLanguage<Texts[Name]>
}

const isPair = (text: Pair | Pairs): text is Pair => 'en' in text

/** Returns the texts in a language. */
export const inLanguage = <Texts extends Pairs>(texts: Texts, language: Language): InLanguage<Texts> => {
  const entries = Object.entries(texts).map(([name, text]) => [
    name,
    isPair(text) ? text[language] : inLanguage(text, language),
  ])
  return Object.fromEntries(entries)
}
