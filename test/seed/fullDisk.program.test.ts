import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { makeFolder } from './program.ts'

const at = makeFolder('full')

const run = (command: string, ...args: string[]) =>
  spawnSync(process.execPath, [`seed/commands/${command}.ts`, ...args], { encoding: 'utf8' })

/** A small disk of its own. Only root can mount it, outside most containers. */
const disk = at('disk')
mkdirSync(disk)
const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=300k', 'tmpfs', disk]).status === 0
afterAll(() => {
  if (isMounted) spawnSync('umount', [disk])
})

/** The first page and the number of the pages that are overwritten. Pages of 4 KB hold the data. */
describe.each([
  [0, 1],
  [500, 200],
])('a database with damage from page %i, %i pages long', (first, pages) => {
  it.each([
    ['load', 'seed/seed.ndjson.gz'],
    ['export', at('damaged.ndjson')],
  ])('is named by %s', (command, file) => {
    const state = at(`${command}-${first}`)
    cpSync(inject('seeded'), state, { recursive: true })
    const [path = ''] = globSync(join(state, 'v3/d1/*/*.sqlite')).filter((name) => !name.endsWith('metadata.sqlite'))
    const bytes = readFileSync(path)
    writeFileSync(path, bytes.fill(0xa5, 4096 * first, 4096 * (first + pages)))
    const { status, stderr } = run(command, file, '--persist-to', state)
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(new RegExp(`^${command}: .*the file of the database is damaged`, 'm')),
    ])
    expect(stderr).not.toContain('disk is full')
    expect(existsSync(at('damaged.ndjson'))).toBe(false)
  })
})

describe('a full disk', () => {
  it('leaves the secrets as they were', () => {
    const secrets = at('some.vars')
    expect(run('key', '--add', secrets).status).toBe(0)
    expect(statSync(secrets).mode & 0o777).toBe(0o600)
    const before = readFileSync(secrets, 'utf8')
    symlinkSync('/dev/full', `${secrets}.partial`) // no device has room for a byte
    expect(run('key', '--add', secrets)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'key: the disk is full: make room, and run the same command again\n',
    })
    expect([readFileSync(secrets, 'utf8'), existsSync(`${secrets}.partial`)]).toEqual([before, false])
    expect(run('key', '--add', secrets).status).toBe(0)
  })

  it('is named by an export, which keeps the older file', () => {
    const file = at('some.ndjson')
    writeFileSync(file, 'older')
    symlinkSync('/dev/full', `${file}.partial`)
    expect(run('export', file, '--persist-to', inject('seeded'))).toMatchObject({
      status: 1,
      stderr: `export: cannot write ${file}: the disk is full\n`,
    })
    expect(readFileSync(file, 'utf8')).toBe('older')
  })

  it.skipIf(!isMounted).each([['load', 'seed/seed.ndjson.gz'], ['start']])(
    'is named by %s (skipped without a small disk)',
    (command, ...files) => {
      expect(run(command, ...files, '--persist-to', join(disk, command))).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(
          new RegExp(`^${command}: .*the disk is full: make room, and run the same command again$`, 'm'),
        ),
      })
    },
  )
})
