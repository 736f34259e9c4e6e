import { parseArgs } from 'node:util'
import { fileFaultOf, LoadError, printable, reasonOf } from '../load/error.ts'
import { SIGNALS } from '../local/wrangler.ts'

/**
 * A program. `usage` is the text of `--help` and lists the options. `files` is the maximum number of file arguments.
 * `mayLack`: it needs none.
 */
interface Command {
  readonly name: string
  readonly usage: string
  readonly files?: number
  readonly mayLack?: boolean
}

/** The options of a command line, by the names in the usage. */
export interface Options {
  readonly flag: (name: string) => boolean
  readonly texts: (name: string) => string[]
  /** Returns the last value of an option. Undefined: it was not given. */
  readonly text: (name: string) => string | undefined
  /** Throws LoadError if several of these options were given, because each names a `what`, such as a source. */
  readonly refuseSeveral: (what: string, ...names: readonly string[]) => void
}

/**
 * Runs a program with the command line. It exits with the number that `run` returns, or 0. For a LoadError or a wrong
 * option, it prints one line and exits with 1. Only `--help` prints the usage.
 */
export const runCommand = (
  { name, usage, files = 0, mayLack = false }: Command,
  run: (options: Options, files: string[]) => unknown,
): Promise<void> =>
  runMain(name, async (args) => {
    const see = `see npm run ${name} -- --help`
    const { options, positionals } = parseOptions(usage, args, see, files > 0)
    if (options.flag('help')) return console.log(usage)
    const [, argument] = /-- ([A-Z]+)/.exec(usage) ?? []
    if (files > 0 && !mayLack && positionals.length === 0) throw new LoadError(`${argument} is missing: ${see}`)
    if (positionals.length > files) throw new LoadError(`more than one ${argument}: ${see}`)
    return run(options, positionals)
  })

type Types = Record<string, { readonly type: 'boolean' | 'string'; readonly multiple: true }>

/** Returns the options that a usage lists, in lines such as `  --port PORT  listen on this port` or `  --x, --y NAME`. */
const typesIn = (usage: string): Types => {
  const lists = Array.from(usage.matchAll(/^ {2}(--\S.*?)(?: {2}|$)/gm), ([list]) => list).join('\n')
  return Object.fromEntries(
    Array.from(lists.matchAll(/--([\w-]+)(,| [A-Z])?/g), ([, name, value]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', multiple: true },
    ]),
  )
}

/** Joins an option and a value that begins with a minus, such as `--x -122.3`, which could also be an option. */
const withNegatives = (args: readonly string[], options: Types): string[] =>
  args.flatMap((arg, i) => {
    const [before = '', next = ''] = [args[i - 1], args[i + 1]]
    const takes = (option: string, value: string) =>
      options[option.replace(/^--/, '')]?.type === 'string' && option.startsWith('--') && /^-[^-]/.test(value)
    if (takes(before, arg)) return []
    return takes(arg, next) ? [`${arg}=${next}`] : [arg]
  })

/** Reads the options of a command line that a usage lists. `see` says where a user finds them. */
export function parseOptions(usage: string, args: string[], see: string, allowPositionals: boolean) {
  const options = typesIn(usage)
  const config = { args: withNegatives(args, options), options, allowPositionals }
  try {
    const { values, positionals } = parseArgs(config)
    const given = (name: string) => {
      if (!(name in config.options)) throw new Error(`the usage lists no --${name}`)
      return [values[name] ?? []].flat().map(String)
    }
    const options: Options = {
      flag: (name) => given(name).length > 0,
      texts: given,
      text: (name) => given(name).at(-1),
      refuseSeveral: (what, ...names) => {
        if (names.filter((name) => given(name).length > 0).length < 2) return
        const list = new Intl.ListFormat('en-GB').format(names.map((name) => `--${name}`))
        throw new LoadError(`${list} each name a ${what}: use one of them`)
      },
    }
    return { options, positionals }
  } catch (cause) {
    if (!(cause instanceof TypeError && 'code' in cause)) throw cause
    throw new LoadError(`${cause.message.replaceAll('\n', ' ').replace(/\.$/, '')}: ${see}`, { cause })
  }
}

/** Returns the key of a service: the option, or the variable, which other users of the machine do not see. */
export const keyIn = ({ text }: Options): string | null => text('key') ?? (process.env.EVENTS_KEY || null)

/** Reads the option --every, in seconds. */
export const pauseIn = (text = '10'): number => {
  const seconds = Number(text)
  if (seconds > 0 && seconds <= 86_400) return seconds
  throw new LoadError('--every needs a number of seconds up to 86400, such as 10')
}

const END_DELAY = 500 // milliseconds

/**
 * Ends the program, also if something is still open. An exit at once may hang, while V8 compiles code in another thread
 * (nodejs/node#54918).
 */
export const endSoon = (): void => {
  setTimeout(() => process.exit(), END_DELAY).unref()
}

/** Runs a program with its arguments. It exits with the number that `run` returns. An error is printed on one line: then it is 1. */
export async function runMain(name: string, run: (args: string[]) => unknown): Promise<void> {
  try {
    const code = await run(process.argv.slice(2))
    process.exitCode = typeof code === 'number' ? code : 0
  } catch (error) {
    process.exitCode = 1
    console.error(printable(`${name}: ${sentenceOf(error)}`))
    endSoon()
  }
}

function sentenceOf(error: unknown): string {
  if (error instanceof LoadError) return error.message
  const found = fileFaultOf(error)
  return found === null ? unexpected(error) : `${found.fault}: ${found.advice}`
}

/** Says an error that no code foresaw. The stack is for developers. */
function unexpected(error: unknown): string {
  if (process.env.DEBUG && error instanceof Error) return error.stack ?? error.message
  if (error instanceof Error && 'syscall' in error) return `${error.message}: enter another path, or make its folder`
  return `an unexpected fault: ${reasonOf(error)}. Run the same command again. If it stays, report it with what DEBUG=1 before the command prints`
}

/**
 * Returns an AbortSignal that a signal to end aborts. Call it after opening a database. Miniflare installs handlers
 * that end the process at once, and this function removes them.
 */
export function interruption(): AbortSignal {
  const controller = new AbortController()
  for (const signal of SIGNALS) {
    process.removeAllListeners(signal)
    process.once(signal, () => controller.abort())
  }
  return controller.signal
}
