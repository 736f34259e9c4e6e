/** The reason why a file or a database cannot be loaded, and how to correct it. */
export class LoadError extends Error {}

/** Returns the error of an option with a wrong value. `advice` says what to enter. */
export const optionError = (option: string, value: string, advice: string): LoadError =>
  new LoadError(`${option} is ${JSON.stringify(value)}: ${advice}`)

/** Characters that a terminal obeys, apart from a line feed. */
const CONTROLS = /(?!\n)[\p{Cc}\p{Bidi_Control}]/gu

/** Writes control characters as escapes, such as \u001b, so that a terminal shows them. */
export const printable = (text: string): string =>
  text.replace(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Writes a name in a file on one line. */
export const oneLine = (name: string): string => printable(name).replaceAll('\n', '\\n')

/** Writes a name in a file in quotes. */
export const shown = (name: string): string => oneLine(JSON.stringify(name))

/** Names the fault of a full disk. Null for other errors. The local database cannot always say why it stopped. */
export const diskFault = (error: unknown): string | null => {
  if (!(error instanceof Error)) return null
  if (/ENOSPC|SQLITE_FULL/.test(error.message)) return 'the disk is full'
  return 'durableObjectReset' in error ? 'the database stopped, perhaps because the disk is full' : null
}

export const reasonOf = (error: unknown): string =>
  diskFault(error) ?? (error instanceof Error ? error.message : String(error))
