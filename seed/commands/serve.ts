import { setTimeout } from 'node:timers/promises'
import { levelOf } from '../../src/base/access.ts'
import { orUndefined } from '../../src/base/errors.ts'
import { SECRET } from '../../src/http/caller.ts'
import { databaseCopy } from '../follow/database.ts'
import { follow } from '../follow/follow.ts'
import { sourceOf } from '../follow/source.ts'
import { type ApiAccess, addressOf } from '../load/api.ts'
import { LoadError, optionError, reasonOf } from '../load/error.ts'
import { CONFIGURATION, PAGE_FILES } from '../local/configuration.ts'
import { databaseFile, STATE } from '../local/database.ts'
import { holdDatabase } from '../local/hold.ts'
import { readSecret } from '../local/keys.ts'
import { builtWorker } from '../serve/build.ts'
import { listen, MOST_WAIT, type Service } from '../serve/listen.ts'
import { type LocalService, localService } from '../serve/local.ts'
import { makeMonitor } from '../serve/monitor.ts'
import { postgresService } from '../serve/postgres.ts'
import { endSoon, interruption, pauseIn, runCommand } from './command.ts'

const PORT = '8787'
/** Variables that wrangler.toml does not list. */
const OTHERS = ['SECRET', 'SHOW_COST']
const USAGE = `Usage: npm run serve [-- OPTION...]

Serves the API and its page on a server of your own, see docs/own-server.md: the Worker as it is deployed, on a local
database, which it migrates first. With --postgres it serves a database of PostgreSQL from this process. It writes one line
of JSON for each request. A signal ends it after the running requests.

  --host HOST                    listen at this address (default 127.0.0.1; 0.0.0.0: at all addresses of this machine)
  --port PORT                    listen on this port (default ${PORT}; 0: any free port)
  --proxy                        believe the client and the scheme that a proxy on this machine says
  --persist-to DIR               serve the local database in DIR (default .wrangler/state)
  --postgres ADDRESS             serve a PostgreSQL database instead, such as postgres://events_reader@localhost/events.
                                 Default: the variable EVENTS_POSTGRES, which does not show in the list of processes
  --follow URL                   serve a copy of the service at URL in DIR, which follows its changes and takes no writes.
                                 The key for that service is in the variable EVENTS_KEY
  --every SECONDS                ask that service for changes so often (default 10)
  --var ANONYMOUS_LEVEL:Hidden   set a variable of wrangler.toml; may be repeated. Keys are read from the variables
                                 API_KEYS, API_KEYS_2 and so on of the environment: set -a; . ./.dev.vars; set +a puts
                                 those that npm run key wrote to this file there
  --help                         show this text`

await runCommand({ name: 'serve', usage: USAGE }, async ({ flag, text, texts, refuseSeveral }) => {
  refuseSeveral('database', 'persist-to', 'postgres')
  refuseSeveral('database', 'follow', 'postgres')
  const port = portOf(text('port') ?? PORT)
  const variables = {
    ...CONFIGURATION.vars,
    ...keysIn(process.env),
    ...Object.fromEntries(texts('var').map(variableOf)),
  }
  const folder = text('persist-to')
  const database = text('postgres') ?? (process.env.EVENTS_POSTGRES || undefined)
  if (database !== undefined && folder !== undefined)
    throw new LoadError('the variable EVENTS_POSTGRES and --persist-to each name a database: use one of them')
  checkVariables(variables)
  const monitor = makeMonitor(console.log)
  const open = async () => {
    const followed = text('follow')
    if (database !== undefined) return postgresService(database, variables, monitor)
    if (orUndefined(() => databaseFile(folder ?? STATE)) === undefined)
      console.log(`${folder ?? STATE} has no database yet, and gets an empty one`)
    process.once('exit', holdDatabase(folder ?? STATE))
    const script = builtWorker()
    const openLocal = (home: string) => localService(script, home, variables, monitor)
    if (followed === undefined) return openLocal(folder ?? STATE)
    if (folder === undefined) throw new LoadError('--follow needs a folder for the copy: enter one with --persist-to')
    const api = { address: addressOf('--follow', followed), key: process.env.EVENTS_KEY || null }
    return standbyService(folder, api, pauseIn(text('every')), openLocal)
  }
  const service = await open()
  const ended = interruption()
  const options = { host: text('host') ?? '127.0.0.1', port, believesProxy: flag('proxy'), files: PAGE_FILES }
  const { address, close } = await listen(service, monitor, options).catch(async (error) => {
    await service.close()
    throw error
  })
  console.log(`Ready on ${address}`)
  await new Promise((resolve) => ended.addEventListener('abort', resolve))
  await close()
  endSoon()
})

/**
 * Serves a copy of a service in a folder, which follows that service meanwhile. `open` opens the service on a folder. The first
 * copy is complete before it opens. `pause` is the time between two questions, in seconds. Throws LoadError for a database
 * that is no copy of the service.
 */
async function standbyService(
  folder: string,
  api: ApiAccess,
  pause: number,
  open: (folder: string) => Promise<LocalService>,
): Promise<Service> {
  const ended = new AbortController()
  const how = { signal: ended.signal, pause, say: console.error }
  let served: LocalService | null = null
  /** Serves a complete copy. Requests to the one before may end. */
  const serve = async (home: string) => {
    const old = served
    served = await open(home)
    if (old !== null) setTimeout(MOST_WAIT, null, { ref: false }).then(old.close)
    // The service goes on while a new copy is read.
    return { ...served.local, close: async () => {} }
  }
  const copy = await databaseCopy(folder, api.address, serve)
  if (served === null) await follow(copy, sourceOf(api), { ...how, isOnce: true })
  const keepFollowing = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      try {
        await follow(copy, sourceOf(api), { ...how, isOnce: false })
      } catch (error) {
        console.error(`The copy does not follow at the moment: ${reasonOf(error).replace(/\n.*/s, '')}`)
        await setTimeout(1000 * pause, null, how).catch(() => {})
      }
    }
  }
  keepFollowing()
  return {
    answer: (...request) => served?.answer(...request),
    // A kill of the copy at any moment loses nothing, so nobody waits for a source that is away.
    close: async () => {
      ended.abort()
      await served?.close()
    },
  }
}

/** Returns the API keys in the environment. All users see the arguments of a command. */
function keysIn(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (SECRET.test(name) && value ? [[name, value]] : [])),
  )
}

/** Throws LoadError for variables that would make requests fail later. */
function checkVariables(variables: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(variables)) {
    if (SECRET.test(name)) readSecret('the environment', name, value)
    else if (!(name in CONFIGURATION.vars) && !OTHERS.includes(name))
      throw optionError('--var', name, 'enter a variable of docs/operating.md, such as TITLE')
    else if (name.endsWith('_LEVEL') && levelOf(value) === null)
      throw optionError('--var', `${name}:${value}`, 'enter an access level: Public, Common, Private or Hidden')
  }
}

function portOf(text: string): number {
  const port = Number(text)
  if (/^\d{1,5}$/.test(text) && port < 65_536) return port
  throw optionError('--port', text, `enter a number below 65536, such as ${PORT}`)
}

/** Splits a variable at its first colon. The value may have more colons. */
function variableOf(text: string): [name: string, value: string] {
  const [, name, value] = /^(\w+):(.*)$/s.exec(text) ?? []
  if (name === undefined || value === undefined)
    throw optionError('--var', text, 'enter a name, a colon and a value, such as ANONYMOUS_LEVEL:Hidden')
  return [name, value]
}
