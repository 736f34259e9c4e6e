import type { Sentence } from '../../messages.ts'
import type { About } from './fields.ts'

/** The sentences of each message about a parameter. */
export type CodesByName = Readonly<Record<string, readonly (readonly Sentence[])[]>>

/** The data of the Worker for the scripts, next to the answer. See src/formats/html.ts. */
export interface Context {
  readonly title: string
  readonly method: string
  readonly url: string
  readonly status: number
  readonly about: About
  readonly headers: readonly (readonly [string, string])[]
  readonly prefix: string
  /** The codes of the messages in a 400, by parameter. */
  readonly faults?: CodesByName
}

/**
 * Reads the context and the answer that the Worker wrote into a page. Without scripts, people read the answer as text.
 * Null: another server wrote the page.
 */
export const readPage = (page: Document): { context: Context; body: unknown } | null => {
  const [context, answer] = ['context', 'answer'].map((id) => page.getElementById(id)?.textContent)
  return context && answer ? { context: JSON.parse(context), body: JSON.parse(answer) } : null
}
