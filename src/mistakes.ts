import { type Faults, invalidParameters } from './errors.ts'

/** The mistakes in a query or a body. `faults` has messages about the first 100, and `count` counts all of them. */
export interface Mistakes {
  readonly faults: Faults
  count: number
}

const MAX_MISTAKES = 100
const MAX_NAME = 100

export const noMistakes = (): Mistakes => ({ faults: Object.create(null), count: 0 })

export const mistake = (mistakes: Mistakes, name: string, message: string): void => {
  mistakes.count += 1
  if (mistakes.count > MAX_MISTAKES) return
  const shown = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}...` : name
  mistakes.faults[shown] = [...(mistakes.faults[shown] ?? []), message]
}

/** Throws a 400 that names the mistakes, if there are any. */
export const refuseMistakes = ({ faults, count }: Mistakes): void => {
  const more = count - MAX_MISTAKES
  if (more > 0) faults.detail = [`There ${more === 1 ? 'is 1 more mistake' : `are ${more} more mistakes`} like these.`]
  if (count > 0) throw invalidParameters(faults)
}
