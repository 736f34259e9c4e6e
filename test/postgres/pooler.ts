import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPort, userOf, waitFor } from './server.ts'

/** A PgBouncer in front of a server. It gives a connection to the next client when a transaction has ended. */
export interface Pooler {
  readonly port: number
  /** The number of connections to the server that it has made so far. */
  readonly connections: () => number
  readonly stop: () => Promise<void>
}

/** Debian installs it outside of the paths of users. */
const PROGRAM = '/usr/sbin/pgbouncer'

/** Tests if this machine has PgBouncer. In the CI, it throws an Error if it is missing. */
export const hasPooler = (): boolean => {
  if (existsSync(PROGRAM)) return true
  if (process.env.CI === 'true') throw new Error('PgBouncer is not installed: run apt install pgbouncer')
  return false
}

/** Starts a PgBouncer on a free port, in front of the databases of a server. */
export const startPooler = async (server: number, database: string): Promise<Pooler> => {
  const [folder, port] = [mkdtempSync(join(tmpdir(), 'pooler-')), await findPort()]
  writeFileSync(join(folder, 'users'), '"events_reader" ""\n')
  const settings = [
    '[databases]',
    `* = host=127.0.0.1 port=${server}`,
    '[pgbouncer]',
    `listen_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =`,
    'auth_type = trust\nauth_file = users',
    'pool_mode = transaction\nlogfile = log',
  ]
  writeFileSync(join(folder, 'settings'), `${settings.join('\n')}\n`)
  const user = userOf()
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid)
  const child = spawn(PROGRAM, ['settings'], { ...user, cwd: folder, stdio: 'ignore' })
  await waitFor(`postgres://events_reader@127.0.0.1:${port}/${database}`, () => child.exitCode === null)
  return {
    port,
    connections: () => readFileSync(join(folder, 'log'), 'utf8').split('new connection to server').length - 1,
    stop: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGINT')
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}
