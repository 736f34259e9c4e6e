/** The reason why a file or a database cannot be loaded, and how to correct it. */
export class LoadError extends Error {}

/** Returns the error of an option with a wrong value. `advice` says what to enter. */
export const optionError = (option: string, value: string, advice: string): LoadError =>
  new LoadError(`${option} is ${JSON.stringify(value)}: ${advice}`)

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
