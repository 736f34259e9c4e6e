import { optionError } from '../load/error.ts'
import { buildNode, filesOfPage, type NodeModule } from '../local/node.ts'
import { buildWorker, defaults, portInUse, type RunningWorker, startWorker } from '../local/worker.ts'
import { SIGNALS } from '../local/wrangler.ts'
import { checkDatabase } from '../postgres/service.ts'
import { runCommand } from './command.ts'

const PORT = '8787'
const USAGE = `Usage: npm run serve [-- OPTION...]

Serves the deployed form of the Worker, minified and without the proxies of wrangler dev, for benches and load tests. It
answers about three times the requests of npm start. It migrates the local database first, and loads no seed.

With --postgres it runs in this process, without wrangler, and keeps connections to the database open.

  --port PORT                    listen on this port (default ${PORT}; 0: any free port)
  --persist-to DIR               use the local database in DIR, as for npm start (default .wrangler/state)
  --postgres ADDRESS             serve a PostgreSQL database instead, such as postgres://events_reader@localhost/events
  --var ANONYMOUS_LEVEL:Hidden   set a variable of wrangler.toml; may be repeated
  --help                         show this text`

// Serves until the process receives a signal to end.
await runCommand({ name: 'serve', usage: USAGE }, async ({ text, texts }) => {
  const [port, variables] = [portOf(text('port') ?? PORT), Object.fromEntries(texts('var').map(variableOf))]
  const ended = new Promise((resolve) => {
    for (const signal of SIGNALS) process.once(signal, resolve)
  })
  const database = text('postgres')
  const { address, close } = await (database === undefined
    ? startWorker(buildWorker(), text('persist-to'), variables, port)
    : startOnPostgres(database, variables, port))
  console.log(`Ready on ${address}`)
  await ended
  await close()
})

/** Serves a database of PostgreSQL in this process. */
async function startOnPostgres(
  database: string,
  variables: Readonly<Record<string, string>>,
  port: number,
): Promise<RunningWorker> {
  const [, advice] = await checkDatabase(database)
  for (const sentence of advice) console.log(sentence)
  const { DEADLINES, start }: NodeModule = await import(await buildNode())
  const all = { ...(await defaults()), ...keysIn(process.env), ...variables }
  try {
    return await start({ database, deadlines: DEADLINES, variables: all, files: filesOfPage(), port })
  } catch (error) {
    throw error instanceof Error && 'code' in error && error.code === 'EADDRINUSE' ? portInUse(port) : error
  }
}

/** Returns the API keys in the environment. All users see the arguments of a command. */
function keysIn(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (/^API_KEYS(_\d+)?$/.test(name) && value ? [[name, value]] : [])),
  )
}

function portOf(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port < 65_536) return port
  throw optionError('--port', text, `enter a number below 65536, such as ${PORT}`)
}

/** Splits a variable at its first colon. The value may have more colons. */
function variableOf(text: string): [name: string, value: string] {
  const [, name, value] = /^(\w+):(.*)$/s.exec(text) ?? []
  if (name !== undefined && value !== undefined) return [name, value]
  throw optionError('--var', text, 'enter a name, a colon and a value, such as ANONYMOUS_LEVEL:Hidden')
}
