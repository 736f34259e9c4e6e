import { type ParseArgsConfig, type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { LoadError } from '../load/error.ts'
import { SIGNALS } from '../local/wrangler.ts'

/** A program. `usage` is the text of `--help`. `files` is the maximum number of file arguments. */
interface Command<O extends ParseArgsOptionsConfig> {
  readonly name: string
  readonly usage: string
  readonly options: O
  readonly files?: number
}

type Given<O extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: O; allowPositionals: boolean; args: string[] }>
>

/**
 * Runs a program with the command line. It exits with the number that `run` returns, or 0. For a LoadError or a wrong
 * option, it prints one line and exits with 1. Only `--help` prints the usage.
 */
export const runCommand = <const O extends ParseArgsOptionsConfig>(
  { name, usage, options, files = 0 }: Command<O>,
  run: (values: Given<O>['values'], files: string[]) => unknown,
): Promise<void> =>
  runMain(name, async (args) => {
    const see = `see npm run ${name} -- --help`
    const config = { args, options: { ...options, help: { type: 'boolean' } }, allowPositionals: files > 0 }
    const { values, positionals } = parsed(config satisfies ParseArgsConfig as typeof config, see)
    if ((values as { help?: boolean }).help) return console.log(usage)
    if (files > 0 && positionals.length === 0) throw new LoadError(`FILE is missing: ${see}`)
    if (positionals.length > files) throw new LoadError(`more than one FILE: ${see}`)
    return run(values as Given<O>['values'], positionals)
  })

function parsed<C extends ParseArgsConfig>(config: C, see: string): ReturnType<typeof parseArgs<C>> {
  try {
    return parseArgs(config)
  } catch (cause) {
    if (!(cause instanceof TypeError && 'code' in cause)) throw cause
    throw new LoadError(`${cause.message.replaceAll('\n', ' ').replace(/\.$/, '')}: ${see}`, { cause })
  }
}

/** Runs a program with its arguments. It exits with the number that `run` returns. A LoadError is printed: then it is 1. */
export async function runMain(name: string, run: (args: string[]) => unknown): Promise<void> {
  try {
    const code = await run(process.argv.slice(2))
    process.exitCode = typeof code === 'number' ? code : 0
  } catch (error) {
    if (!(error instanceof LoadError)) throw error
    console.error(`${name}: ${error.message}`)
    process.exitCode = 1
  }
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
