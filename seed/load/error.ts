import { setTimeout } from 'node:timers/promises'

/** The reason why a file or a database cannot be loaded, and how to correct it. */
export class LoadError extends Error {}

/** The reason why a file cannot be loaded without more options, and arguments that may give them. */
export class NeedError extends LoadError {
  readonly options: readonly string[]

  constructor(message: string, options: readonly string[], details?: ErrorOptions) {
    super(message, details)
    this.options = options
  }
}

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

/** A fault of the disk or of the database file, and how to correct it. */
interface FileFault {
  readonly fault: string
  readonly advice: string
}

const FULL = { fault: 'the disk is full', advice: 'make room, and run the same command again' }
const UNKNOWN = { ...FULL, fault: 'the database stopped, perhaps because the disk is full' }
const DAMAGED = {
  fault: 'the file of the database is damaged',
  advice: 'load a copy of the data into a new database, with --persist-to and another folder',
}
const LOCKED = {
  fault: 'another program keeps writing to the database',
  advice: 'run the same command again, or load through the service with --to',
}

const namedIn = (message: string): FileFault | null => {
  if (/SQLITE_BUSY|SQLITE_LOCKED/.test(message)) return LOCKED
  if (/ENOSPC|SQLITE_FULL|database or disk is full/.test(message)) return FULL
  return /SQLITE_CORRUPT|SQLITE_NOTADB/.test(message) ? DAMAGED : null
}

const LOG_DELAY = 100 // milliseconds
/** The last fault in the log of the local database. Its errors often do not name the cause. */
let logged: FileFault | null = null

/** Notes the fault in a line of the log. Returns false if it has none. */
export function noteFaultIn(log: string): boolean {
  const found = namedIn(log)
  logged = found ?? logged
  return found !== null
}

/** Tests if another program, such as the service, writes to the local database at the moment. The log may say so a little later. */
export async function isLocked(error: unknown): Promise<boolean> {
  await setTimeout(LOG_DELAY)
  return fileFaultOf(error) === LOCKED
}

/** Returns the fault of the disk or of the database file that an error means. Null for other errors. */
export const fileFaultOf = (error: unknown): FileFault | null => {
  if (!(error instanceof Error)) return null
  if ('durableObjectReset' in error) return namedIn(error.message) ?? logged ?? UNKNOWN
  return namedIn(error.message) ?? (/\binternal error\b/.test(error.message) ? logged : null)
}

export const reasonOf = (error: unknown): string =>
  fileFaultOf(error)?.fault ?? (error instanceof Error ? error.message : String(error))
