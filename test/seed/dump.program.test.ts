import { spawnSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { insertRecords } from '../../seed/load/insert.ts'
import { openDatabase } from '../../seed/local/database.ts'
import { ROOT, WRANGLER, WRANGLER_ENV } from '../../seed/local/wrangler.ts'
import { skewed } from '../bench/skewed.ts'
import { wholeRecords } from '../records.ts'
import { dump, query } from './dump.ts'
import { makeFolder } from './program.ts'

const at = makeFolder('dump')

const d1 = (...args: string[]) => {
  const env = { ...process.env, ...WRANGLER_ENV }
  const { status, stderr } = spawnSync(process.execPath, [WRANGLER, 'd1', ...args], {
    cwd: at(),
    env,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
}

it('a dump of wrangler can be imported into an empty database, with all counts', {
  timeout: 300_000,
}, async () => {
  copyFileSync(join(ROOT, 'wrangler.toml'), at('wrangler.toml'))
  const { db, close } = await openDatabase(at('.wrangler/state'))
  await insertRecords(db, wholeRecords(skewed(20)))
  await close()
  d1('export', 'DB', '--local', '--output', 'dump.sql')
  d1('execute', 'DB', '--local', '--persist-to', 'new', '--file', 'dump.sql')
  const [before, after] = [at('.wrangler/state'), at('new')]
  expect(dump(after)).toEqual(dump(before))
  const kept = 'SELECT (SELECT revision FROM revision) AS revision, (SELECT count(*) FROM d1_migrations) AS migrations'
  expect(query(after, kept)).toEqual(query(before, kept))
})
