import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ROOT } from '../../seed/local/wrangler.ts'
import { findPort } from '../postgres/server.ts'

const NGINX = ['/usr/sbin/nginx', '/usr/bin/openssl']
const ADVICE = 'nginx is not installed: run apt install nginx openssl'

/** Tests if this machine has nginx. In the CI, it throws an Error if it is missing. */
export const hasNginx = (): boolean => {
  if (NGINX.every(existsSync)) return true
  if (process.env.CI === 'true') throw new Error(ADVICE)
  console.warn(`${ADVICE}. Its tests are skipped.`)
  return false
}

/** The user nobody has no home. Another user who runs the tests cannot become nobody. */
const NOBODY = { uid: 65_534, gid: 65_534 }
const isReadable = () => spawnSync('test', ['-r', join(ROOT, 'seed/commands/serve.ts')], NOBODY).status === 0
const userOfService = () => (process.getuid?.() === 0 && isReadable() ? NOBODY : {})

/** The command of the unit of systemd, with other folders. */
const commandOf = (folder: string): [program: string, ...args: string[]] => {
  const unit = readFileSync(join(ROOT, 'deploy/events.service'), 'utf8')
  const [, line = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? []
  const [program = '', ...args] = line.replaceAll('/srv/events', ROOT).replace('/var/lib/events', folder).split(' ')
  return [existsSync(program) ? program : process.execPath, ...args]
}

export interface OwnService {
  readonly child: ChildProcess
  readonly port: number
  /** The lines of its log. */
  readonly lines: readonly string[]
  readonly ended: Promise<readonly unknown[]>
}

/**
 * Starts the service by the command of the unit, as a user without a home and with few variables. `data` is a folder, or the
 * address of a database of PostgreSQL. `without` has arguments that are left out.
 */
export const startOwn = async (
  data: string,
  more: readonly string[] = [],
  env: object = {},
  without: readonly string[] = [],
): Promise<OwnService> => {
  const [program, ...args] = commandOf(data)
  const isPostgres = data.startsWith('postgres:')
  const own = (isPostgres ? args.slice(0, args.indexOf('--persist-to')) : args).filter((arg) => !without.includes(arg))
  const port = await findPort()
  const variables = { TMPDIR: process.env.TMPDIR, ...env, ...(isPostgres && { EVENTS_POSTGRES: data }) }
  const child = spawn(program, [...own, '--port', String(port), ...more], {
    ...userOfService(),
    cwd: ROOT,
    env: variables as NodeJS.ProcessEnv,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  const ended = once(child, 'exit')
  const ready = new Promise<void>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      lines.push(line)
      if (line.startsWith('Ready on')) resolve()
    })
    ended.then(() => reject(new Error(`ended: ${lines.join('\n')}`)))
  })
  await ready
  return { child, port, lines, ended }
}

/** Copies a local database into a folder that the user of the service may write to. Null: the folder is empty. */
export const giveDatabase = (from: string | null, folder: string): void => {
  mkdirSync(folder, { recursive: true })
  if (from !== null) cpSync(from, folder, { recursive: true })
  const { uid, gid } = userOfService() as Partial<typeof NOBODY>
  if (uid !== undefined && gid !== undefined) execFileSync('chown', ['-R', `${uid}:${gid}`, folder])
}

export const HOST = 'events.example.org'

/** Starts nginx with deploy/nginx.conf, with a certificate of its own. Returns the port of https. */
export const startNginx = async (folder: string, ports: readonly number[]) => {
  const [plain, secure] = [await findPort(), await findPort()]
  mkdirSync(folder, { recursive: true })
  const at = (name: string) => join(folder, name)
  const subject = ['-subj', `/CN=${HOST}`, '-days', '2', '-nodes']
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'],
      ...subject,
      '-keyout',
      at('privkey.pem'),
      '-out',
      at('fullchain.pem'),
    ],
    { stdio: 'ignore' },
  )
  const upstreams = ports.map((port) => `server 127.0.0.1:${port};`).join('\n  ')
  const own = readFileSync(join(ROOT, 'deploy/nginx.conf'), 'utf8')
    .replace('server 127.0.0.1:8787;', upstreams)
    .replaceAll(`/etc/letsencrypt/live/${HOST}`, folder)
    .replace('/var/lib/nginx/events', at('cache'))
    .replace('listen 80;', `listen 127.0.0.1:${plain};`)
    .replace('listen 443 ssl http2;', `listen 127.0.0.1:${secure} ssl http2;`)
    .replace(/^.*listen \[::\].*\n/gm, '')
  writeFileSync(at('events.conf'), own)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${at(name)};`)
  const main = `daemon off; pid ${at('pid')}; error_log ${at('error.log')}; events {}
    http { access_log off; ${temporary.join(' ')} include ${at('events.conf')}; }`
  writeFileSync(at('nginx.conf'), main)
  chmodSync(folder, 0o755)
  const child = spawn('nginx', ['-e', at('error.log'), '-c', at('nginx.conf')], { stdio: 'inherit' })
  const ask = askAt(secure)
  while ((await ask('/healthz').catch(() => null)) === null)
    if (child.exitCode !== null) throw new Error(readFileSync(at('error.log'), 'utf8'))
  const stop = async () => {
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  }
  return { ask, plain, stop }
}

export interface Answer {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

interface Sent {
  readonly method?: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string
}

/** Returns a function that asks nginx over TLS. It believes the certificate of the test. */
const askAt =
  (port: number) =>
  async (path: string, { method = 'GET', headers = {}, body }: Sent = {}): Promise<Answer> => {
    const options = { port, host: '127.0.0.1', path, method, rejectUnauthorized: false, servername: HOST }
    const asked = request({ ...options, headers: { Host: HOST, ...headers } })
    asked.end(body)
    const [response] = await once(asked, 'response')
    const parts: Buffer[] = []
    for await (const part of response) parts.push(part)
    return { status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) }
  }
