import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { parse, stringify } from 'smol-toml'
import { nearest } from '../../src/http/suggestion.ts'
import { LoadError, reasonOf } from '../load/error.ts'
import type { Outcome } from '../load/files.ts'
import { COLUMN_OPTIONS } from '../read/fields.ts'
import type { Options } from './command.ts'

const FORM = 'format sheet encoding delimiter quote skip-lines attributes crs decimal thousands null comment'.split(' ')
const TIMES = 'time-unit date-format century timezone'.split(' ')
const EVENTS = 'series access observation-type title unit source license key-column'.split(' ')
/** The options of a mapping. They describe files, and not one load of them. */
const NAMES: readonly string[] = [...EVENTS, ...Object.values(COLUMN_OPTIONS), ...TIMES, ...FORM]
const FLAGS: readonly string[] = ['new-ids', 'drop-duplicates']

/** Adds the options of the file that `--mapping` names. The options of the command win over them. Throws LoadError for wrong ones. */
export function withMapping(options: Options): Options {
  const file = options.text('mapping')
  if (file === undefined) return options
  const mapping = readMapping(file)
  return {
    ...options,
    text: (name) => options.text(name) ?? mapping.get(name),
    flag: (name) => options.flag(name) || mapping.get(name) === 'true',
  }
}

function readMapping(file: string): ReadonlyMap<string, string> {
  try {
    const entries = Object.entries(parse(readFileSync(file, 'utf8')))
    return new Map(entries.map(([name, value]) => [name, textOf(name, value)]))
  } catch (cause) {
    throw new LoadError(`--mapping ${file}: ${reasonOf(cause).trim()}`, { cause })
  }
}

/** Converts the value of an option in a mapping to a text of the command line. */
function textOf(name: string, value: unknown): string {
  const near = nearest(name, [...NAMES, ...FLAGS])
  if (FLAGS.includes(name) && typeof value === 'boolean') return String(value)
  if (FLAGS.includes(name)) throw new LoadError(`${name} has another value: enter true or false`)
  if (!NAMES.includes(name))
    throw new LoadError(`there is no option ${name} for files${near === null ? '' : `: did you mean ${near}?`}`)
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  if (Array.isArray(value) && value.every((each) => typeof each === 'string'))
    return value.join(['attributes', 'title', 'unit', 'null'].includes(name) ? ',' : '+')
  throw new LoadError(`${name} has another value: enter a text, a number, or a list of texts`)
}

/** Throws LoadError unless a mapping can be written to a file. */
export function checkMapping(file: string, { flag }: Options): void {
  if (!flag('dry-run')) throw new LoadError('--write-mapping needs --dry-run: add it')
  if (existsSync(file)) throw new LoadError(`--write-mapping would overwrite ${file}: enter another name`)
}

/** Writes the options of a load and the columns that it found, with the other columns in a comment. */
export function writeMapping(file: string, { text, flag }: Options, { found }: Outcome): void {
  const given = NAMES.map((name): [string, string | undefined] => [name, text(name) ?? found.options.get(name)])
  const flags = FLAGS.filter(flag).map((name): [string, boolean] => [name, true])
  const options = Object.fromEntries([...given.filter(([, value]) => value !== undefined), ...flags])
  const others = found.unread.length > 0 ? `# Not loaded: ${JSON.stringify(found.unread.join(', '))}\n` : ''
  writeFileSync(
    file,
    `# Use it with npm run load -- FILE --mapping ${JSON.stringify(file)}\n${stringify(options)}\n${others}`,
  )
}
