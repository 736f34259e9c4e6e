import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { checkDeployable, configFor, merged, readDeployment } from '../../seed/local/deployment.ts'
import { makeFolder } from './program.ts'

const at = makeFolder('deployment')

beforeEach(() => {
  vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', undefined)
  for (const name of ['deploy.toml', 'wrangler.deploy.json']) rmSync(at(name), { force: true })
  writeFileSync(at('wrangler.toml'), readFileSync('wrangler.toml'))
})

afterAll(() => {
  vi.unstubAllEnvs()
})

it('without deploy.toml, wrangler.toml and the local database are used', async () => {
  expect(await readDeployment(at())).toEqual({
    config: at('wrangler.toml'),
    databaseId: null,
    hyperdriveId: null,
    accountId: null,
  })
  expect(existsSync(at('wrangler.deploy.json'))).toBe(false)
})

it('the values of deploy.toml replace those of wrangler.toml', async () => {
  const filled = readFileSync('deploy.example.toml', 'utf8')
    .replace(/^# (workers_dev|routes|BASE_URL)/gm, '$1')
    .replace(/^# account_id = "" +/m, 'account_id = "a1"')
    .replace('database_id = ""', 'database_id = "d1"')
  writeFileSync(at('deploy.toml'), filled)
  expect(await readDeployment(at())).toEqual({
    config: at('wrangler.deploy.json'),
    databaseId: 'd1',
    hyperdriveId: null,
    accountId: 'a1',
  })
  const written = JSON.parse(readFileSync(at('wrangler.deploy.json'), 'utf8'))
  expect(written).toMatchObject({
    main: 'src/index.ts',
    workers_dev: false,
    preview_urls: false,
    routes: [{ pattern: 'events.example.com', custom_domain: true }],
    vars: { BASE_URL: 'https://events.example.com', ANONYMOUS_LEVEL: 'Public', BODY_LIMIT: '5000000' },
    d1_databases: [{ binding: 'DB', database_id: 'd1', migrations_dir: 'schema/migrations' }],
  })
  vi.stubEnv('CLOUDFLARE_ACCOUNT_ID', 'a2')
  expect((await readDeployment(at())).accountId).toBe('a2')
})

it('the settings of PostgreSQL need no D1 database, and have another entry', async () => {
  const example = readFileSync('deploy.postgres.example.toml', 'utf8')
  writeFileSync(at('deploy.toml'), example.replace(/^id = ""/m, 'id = "h1"'))
  expect(await readDeployment(at())).toMatchObject({ databaseId: null, hyperdriveId: 'h1' })
  const { main, compatibility_flags, d1_databases, hyperdrive, ratelimits, vars } = JSON.parse(
    readFileSync(at('wrangler.deploy.json'), 'utf8'),
  )
  expect({ main, compatibility_flags, d1_databases, hyperdrive }).toEqual({
    main: 'src/postgres.ts',
    compatibility_flags: ['nodejs_compat', 'enable_request_signal'],
    d1_databases: [],
    hyperdrive: [{ binding: 'HYPERDRIVE', id: 'h1' }],
  })
  expect([ratelimits.length, vars.BODY_LIMIT]).toEqual([1, '5000000'])
})

it.each([
  ['d1 export DB --local --output dump.sql', 'wrangler.toml'],
  ['d1 execute DB --file dump.sql', 'wrangler.toml'],
  ['d1 migrations list DB', 'wrangler.toml'],
  ['d1 migrations apply DB --remote', 'wrangler.deploy.json'],
  ['d1 export DB --remote --output dump.sql', 'wrangler.deploy.json'],
  ['d1 time-travel info DB', 'wrangler.deploy.json'],
  ['deploy', 'wrangler.deploy.json'],
  ['secret bulk deploy.vars', 'wrangler.deploy.json'],
])('%s uses %s', async (command, config) => {
  writeFileSync(at('deploy.toml'), '[[d1_databases]]\nbinding = "DB"\ndatabase_id = "d1"\n')
  expect(configFor(await readDeployment(at()), command.split(' '))).toBe(at(config))
})

it('a deploy.toml that is not TOML is an error with the name of the file', async () => {
  writeFileSync(at('deploy.toml'), 'name = \n')
  await expect(readDeployment(at())).rejects.toThrow(/^deploy\.toml: /)
})

describe('merged tables of settings', () => {
  it.each<[unknown, unknown, unknown]>([
    [
      { a: 1, b: 2 },
      { b: 3, c: 4 },
      { a: 1, b: 3, c: 4 },
    ],
    [{ a: { b: 1, c: 2 } }, { a: { c: 3 } }, { a: { b: 1, c: 3 } }],
    [[1, 2], [3], [3]],
    [
      [{ binding: 'A', x: 1 }, { binding: 'B' }],
      [{ binding: 'A', y: 2 }],
      [{ binding: 'A', x: 1, y: 2 }, { binding: 'B' }],
    ],
    [[{ name: 'A' }], [{ name: 'B' }], [{ name: 'A' }, { name: 'B' }]],
    [{ a: [] }, { a: 'b' }, { a: 'b' }],
    [[{ binding: 'A' }], [], []],
  ])('%j and %j', (base, own, both) => {
    expect(merged(base, own)).toEqual(both)
  })
})

it('a deployment without a database is refused', () => {
  const none = { config: '', databaseId: null, hyperdriveId: null, accountId: null }
  expect(() => checkDeployable(none, ['deploy'])).toThrow('no database yet: run npx wrangler d1 create events')
  expect(() => checkDeployable({ ...none, hyperdriveId: '' }, ['deploy'])).toThrow('no Hyperdrive yet')
  for (const args of [
    ['deploy', '--dry-run'],
    ['secret', 'list'],
  ])
    checkDeployable(none, args)
  checkDeployable({ ...none, databaseId: 'd1' }, ['deploy'])
  checkDeployable({ ...none, hyperdriveId: 'h1' }, ['deploy'])
})
