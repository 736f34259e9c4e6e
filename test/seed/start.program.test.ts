import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, it } from 'vitest'
import { openDatabase } from '../../seed/local/database.ts'
import { dump, query } from './dump.ts'

const folder = mkdtempSync(join(tmpdir(), 'start-'))

afterAll(() => rmSync(folder, { recursive: true }))

it('npm start seeds an empty database once, serves it, and ends with the signal', async () => {
  const first = await start(folder)
  expect(first.output).toContain('Loaded the seed: 16231 events in 14 event series.')
  expect((await fetch(`${first.address}/api/v3/events/?page_size=1`)).status).toBe(200)
  expect(await stop(first.child)).toBe(143)

  const { db, close } = await openDatabase(folder)
  expect(await db.prepare('SELECT revision FROM revision').first('revision')).toBe(1)
  await db.batch([db.prepare('DELETE FROM event'), db.prepare('DELETE FROM event_series WHERE id > 1')])
  await close()

  const second = await start(folder)
  expect(second.output).not.toContain('Loaded')
  expect(await stop(second.child)).toBe(143)
})

// The first database has all 18 migrations of earlier checkouts, and the second one has four.
it.each(['complete', 'partial'])(
  'npm start moves the data of an earlier checkout into a new database: %s',
  async (name) => {
    const state = join(folder, name)
    await fill(state, name)
    const { schema: _, ...before } = dump(state)
    const { child, output, address } = await start(state)
    const [event, list, folded] = await Promise.all(
      [
        '/api/v3/events/9/',
        '/api/v3/events/?category=STRAẞE&bbox=5,52,6,53&event_series__name__icontains=GROßE',
        "/ogc/collections/events/items?filter=CASEI(category)=CASEI('strasse')",
      ].map(async (path) => (await fetch(address + path)).json()),
    )
    await stop(child)
    expect(output).not.toContain('Loaded')
    const properties = { value: '4.5', category: 'STRAẞE', object: { type: 'Buoy', id: 6 } }
    expect(event).toMatchObject({ geometry: { coordinates: [5.1, 52.2, 3.3] }, properties })
    expect([list, folded]).toMatchObject([{ count: 1 }, { numberMatched: 1 }])
    expect(query(state, "SELECT last FROM sequence WHERE name = 'event'")).toEqual([{ last: 12 }])
    expect(query(state, 'SELECT last_modified AS at FROM event')).toEqual([{ at: 1.7e15 }])
    expect(query(state, 'SELECT * FROM load_progress')).toEqual([{ digest: 'a-file', passed: 3 }])
    expect(query(state, "SELECT count(*) AS nodes FROM event_count WHERE tree = 'id' AND public = 1")).toEqual([
      { nodes: 7 },
    ])
    const levels = ['public_revision', 'common_revision', 'private_revision']
    expect(
      query(
        state,
        `SELECT revision > 7 AND ${levels.map((each) => `${each} = revision`).join(' AND ')} AS kept FROM revision`,
      ),
    ).toEqual([{ kept: 1 }])
    const [earlier = ''] = globSync(join(state, 'earlier-*'))
    expect(dump(earlier)).toMatchObject(before)
  },
)

it('npm start moves the data of tables with other indexes, and counts it again', async () => {
  const state = join(folder, 'complete')
  const before = query(state, 'SELECT tree, shift, node, public FROM event_count ORDER BY 1, 2, 3')
  const { db, close } = await openDatabase(state)
  await db.batch([
    db.prepare('DROP INDEX event_count_by_first'),
    db.prepare('CREATE INDEX event_count_by_first ON event_count (tree, first)'),
    db.prepare("UPDATE event_count SET tree = 'class' WHERE tree = 'duration'"),
  ])
  await close()
  await stop((await start(state)).child)
  expect(query(state, 'SELECT tree, shift, node, public FROM event_count ORDER BY 1, 2, 3')).toEqual(before)
})

it('npm start explains its options', () => {
  const help = spawnSync(process.execPath, ['seed/commands/start.ts', '--help'], { encoding: 'utf8' })
  expect(help).toMatchObject({ status: 0, stdout: expect.stringContaining('Usage: npm start [-- OPTION...]') })
  const fault = spawnSync(process.execPath, ['seed/commands/start.ts', '--persist-to'], { encoding: 'utf8' })
  expect(fault).toMatchObject({
    status: 1,
    stderr: 'start: --persist-to needs a folder: enter one, such as --persist-to /tmp/state\n',
  })
})

/** Starts on a free port and waits for the address. */
function start(folder: string): Promise<{ child: ChildProcess; output: string; address: string }> {
  const args = ['seed/commands/start.ts', '--port', '0', '--persist-to', folder]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (text) => {
      output += text
      const address = /Ready on (http:\S+)/.exec(output)?.[1]
      if (address) resolve({ child, output, address })
    })
    child.on('exit', (code) => reject(new Error(`ended with ${code}: ${output}`)))
  })
}

function stop(child: ChildProcess): Promise<number | null> {
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve))
  child.kill('SIGTERM')
  return ended
}

/** Fills a new database with the tables and rows of a file in test/seed/earlier. */
async function fill(state: string, name: string): Promise<void> {
  const { close } = await openDatabase(state)
  await close()
  const [file = ''] = globSync(join(state, 'v3/d1/*/*.sqlite')).filter((each) => !each.endsWith('metadata.sqlite'))
  for (const each of globSync(`${file}*`)) rmSync(each)
  const db = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  db.exec(readFileSync(join(import.meta.dirname, `earlier/${name}.sql`), 'utf8'))
  db.close()
}
