import { type ParseArgsConfig, type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { LoadError } from '../load/error.ts'

/** Signals that end a program: Ctrl-C, kill, or a closed terminal. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

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
export async function runCommand<const O extends ParseArgsOptionsConfig>(
  { name, usage, options, files = 0 }: Command<O>,
  run: (values: Given<O>['values'], files: string[]) => unknown,
): Promise<void> {
  const refuse = (message: string) => {
    console.error(`${name}: ${message}`)
    process.exitCode = 1
  }
  const see = `see npm run ${name} -- --help`
  try {
    const config = {
      args: process.argv.slice(2),
      options: { ...options, help: { type: 'boolean' } },
      allowPositionals: files > 0,
    }
    const { values, positionals } = parseArgs(config satisfies ParseArgsConfig as typeof config)
    if ((values as { help?: boolean }).help) return console.log(usage)
    if (files > 0 && positionals.length === 0) return refuse(`FILE is missing: ${see}`)
    if (positionals.length > files) return refuse(`more than one FILE: ${see}`)
    const code = await run(values as Given<O>['values'], positionals)
    process.exitCode = typeof code === 'number' ? code : 0
  } catch (error) {
    if (error instanceof LoadError) return refuse(error.message)
    if (error instanceof TypeError && 'code' in error)
      return refuse(`${error.message.replaceAll('\n', ' ').replace(/\.$/, '')}: ${see}`)
    throw error
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
