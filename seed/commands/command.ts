import { type ParseArgsConfig, type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { LoadError } from '../load/error.ts'

/** Sent to end a program: by Ctrl-C, by kill, by the terminal that is closed. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** What a program is: what starts it, what `--help` prints, its options, and how many files it takes at most. */
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
 * Runs a program with the arguments of the command line. Its number is the exit code, else 0. A LoadError is a message and 1.
 * A wrong option is one line and 1: only `--help` prints the usage.
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
    if (files > 0 && positionals.length === 0) return refuse(`no FILE: ${see}`)
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
 * What is aborted by a signal to end. To be asked for once a database is open: what runs it would end the process at
 * once, in the middle of what is under way.
 */
export function interruption(): AbortSignal {
  const controller = new AbortController()
  for (const signal of SIGNALS) {
    process.removeAllListeners(signal)
    process.once(signal, () => controller.abort())
  }
  return controller.signal
}
