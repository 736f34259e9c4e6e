import { spawnSync } from 'node:child_process'
import { timingSafeEqual } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addKey, countKeys, readKeys } from '../../seed/local/keys.ts'
import { callerOf } from '../../src/http/caller.ts'
import type { Env } from '../../src/http/env.ts'

// In workerd, this function is a member of `crypto.subtle`.
beforeAll(() => Object.assign(crypto.subtle, { timingSafeEqual }))

/** Its first digits are a time, so several series may share them. */
const VERSION_7 = '018f3a5e-1111-7000-8000-000000000000'
const today = new Date().toISOString().slice(0, 10)

const identify = (key: string, env: Env) => callerOf(new Headers({ Authorization: `Bearer ${key}` }), env)

/** Returns the caller that a Worker with these keys recognises. */
const callerWith = (key: string, API_KEYS: string | undefined) =>
  identify(key, { ...(API_KEYS !== undefined && { API_KEYS }) } as Env)

describe('npm run key', () => {
  it.each([
    [[], { level: 100, key: { name: '', write: false, series: null } }],
    [
      ['--read', 'Private', '--write', '--name', 'me "x"'],
      { level: 200, key: { name: 'me "x"', write: true, series: null } },
    ],
    [['--read=hidden', '--expires', today], { level: 300, key: { name: '', write: false, series: null } }],
    [
      [
        '--write',
        '--series',
        `99FE5D03893d5b208244b9189db33e37,1f3fd2e4, aa8929f7-12,${VERSION_7}`,
        '--expires=9999-12-31',
      ],
      { level: 100, key: { name: '', write: true, series: ['99fe5d03', '1f3fd2e4', 'aa8929f7-12', VERSION_7] } },
    ],
  ])('with %j prints a key with these rights', async (args, caller) => {
    const [made, other] = [keyOf(args), keyOf(args)]
    expect(made.key).toMatch(/^[0-9a-f]{48}$/)
    expect(made.key).not.toBe(other.key)
    expect(Object.keys(JSON.parse(made.entry))).toEqual([made.digest])
    const known = (id: string) => ({ ...caller, key: { id, ...caller.key } })
    expect(await callerWith(made.key, made.entry)).toEqual(known(made.digest))
    const both = JSON.stringify({ ...JSON.parse(other.entry), ...JSON.parse(made.entry) })
    expect(await callerWith(other.key, both)).toEqual(known(other.digest))
    for (const wrong of [other.key, made.digest, made.key.toUpperCase()])
      await expect(callerWith(wrong, made.entry)).rejects.toMatchObject({ status: 401 })
  })

  it('shows the new key once', () => {
    const { key, stdout } = keyOf([])
    expect(stdout.split(key)).toHaveLength(2)
  })

  it.each([
    ['--read', 'Everything'],
    ['--read', 'Public'],
    ['--read', ''],
    ['--read', '200'],
  ])('refuses %s %j', (...args) => {
    const stderr = `key: --read is ${args[1]}: enter Common, Private or Hidden\n`
    expect(run(args)).toMatchObject({ status: 1, stdout: '', stderr })
  })

  it.each([
    [['--expires', '2020-01-01'], '--expires is "2020-01-01": enter a day from today on, such as 2027-01-01'],
    [['--expires', '2027-02-30'], '--expires is "2027-02-30": enter a day from today on, such as 2027-01-01'],
    [['--expires', 'never'], '--expires is "never": enter a day from today on, such as 2027-01-01'],
    [['--series', '99fe5d03'], '--series limits what a key writes: enter --write too, or leave --series out'],
    [
      ['--write', '--series', '99fe5d03,99fe5d0'],
      '--series is "99fe5d0": enter uuids, each with at least its first 8 digits',
    ],
    [['--write', '--series', ''], '--series is "": enter uuids, each with at least its first 8 digits'],
    [['--list', '--add', 'x'], '--add, --list and --revoke each name a task: use one of them'],
    [['--list', '--in', 'none.vars'], 'none.vars does not exist: enter the file of your keys with --in'],
    [['--revoke', 'me', '--in', 'none.vars'], 'none.vars does not exist: enter the file of your keys with --in'],
  ])('refuses %j', (args, fault) => {
    expect(run(args)).toMatchObject({ status: 1, stdout: '', stderr: `key: ${fault}\n` })
  })

  it('explains its options', () => {
    expect(run(['--help'])).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage: npm run key /) })
    for (const args of [['--nope'], ['key'], ['--read']])
      expect(run(args)).toMatchObject({
        status: 1,
        stdout: '',
        stderr: expect.stringMatching(/^key: .*: see npm run key -- --help\n$/),
      })
  })
})

it('.dev.vars.example contains no key, because everyone would know it', () => {
  expect(countKeys(readKeys('.dev.vars.example'))).toBe(0)
})

const OLD = '0'.repeat(64)

describe('a file of keys', () => {
  const folder = mkdtempSync(join(tmpdir(), 'key-'))
  const at = (name: string) => join(folder, name)
  afterAll(() => rmSync(folder, { recursive: true }))
  const add = (file: string, ...args: string[]) => keyOf(['--add', file, ...args])
  const secretsOf = (file: string) => parseEnv(readFileSync(file, 'utf8')) as unknown as Env

  it('creates a file, adds to its keys, and keeps its other lines', async () => {
    const first = add(at('a.vars'), '--name', `Anne's`)
    expect(first.added).toBe(
      `Added to API_KEYS in ${at('a.vars')}, now with 1 key. Run npm run wrangler -- secret bulk ${at('a.vars')} to use it.`,
    )
    expect(add(at('.dev.vars')).added).toBe(
      `Added to API_KEYS in ${at('.dev.vars')}, now with 1 key. Start the service again to use it.`,
    )
    expect(statSync(at('a.vars')).mode & 0o777).toBe(0o600)
    writeFileSync(at('a.vars'), `# Mine\nOTHER="x"\n${readFileSync(at('a.vars'), 'utf8')}LAST=1`)
    const second = add(at('a.vars'), '--read', 'Hidden', '--write')
    expect(second.added).toContain('now with 2 keys')
    expect(readFileSync(at('a.vars'), 'utf8')).toMatch(/^# Mine\nOTHER="x"\nAPI_KEYS='\{.*\}'\nLAST=1$/)
    const env = secretsOf(at('a.vars'))
    expect((await identify(first.key, env)).key?.name).toBe(`Anne's`)
    expect(await identify(second.key, env)).toMatchObject({ level: 300, key: { write: true } })
  })

  it('uses the next secret if one is full', async () => {
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [String(i).padStart(64, 'a'), { name: 'x' }]))
    writeFileSync(at('b.vars'), `API_KEYS='${JSON.stringify(many, null, 1)}'\nOTHER=1\n`)
    for (const number of [2, 2, 2]) {
      const { key, added } = add(at('b.vars'), '--name', 'b'.repeat(1500))
      expect(added).toContain(`Added to API_KEYS_${number} in `)
      expect((await identify(key, secretsOf(at('b.vars')))).key?.name).toHaveLength(1500)
    }
    expect(add(at('b.vars'), '--name', 'b'.repeat(1500)).added).toContain('Added to API_KEYS_3 in ')
    expect(add(at('b.vars')).added).toContain('now with 55 keys')
    expect(Object.values(secretsOf(at('b.vars'))).every((text) => text.length <= 5000)).toBe(true)
  })

  it('lists the keys of a file, without digests and keys', () => {
    const me = add(at('list.vars'), '--read', 'Hidden', '--write', '--name', `Anne's\u001b`)
    const feed = add(at('list.vars'), '--write', '--series', `99fe5d03,${VERSION_7}`, '--expires', '9999-12-31')
    writeFileSync(
      at('list.vars'),
      `${readFileSync(at('list.vars'), 'utf8')}API_KEYS_2='{"${OLD}":{"expires":"2020-01-01"}}'`,
    )
    expect(run(['--list', '--in', at('list.vars')])).toMatchObject({
      status: 0,
      stdout: [
        'digest    name          reads   writes                                         works through (UTC)',
        `${me.digest.slice(0, 8)}  Anne's\\u001b  Hidden  all series`,
        `${feed.digest.slice(0, 8)}                Common  99fe5d03,${VERSION_7}  9999-12-31`,
        `00000000                Common  nothing                                        2020-01-01, expired`,
        `${at('list.vars')} has 3 keys. Nobody can read back what a deployed service has.\n`,
      ].join('\n'),
    })
  })

  it('revokes a key by its name, or by the digits that the list shows', async () => {
    const file = at('.dev.vars')
    rmSync(file, { force: true })
    const [one, two] = [add(file, '--name', 'one'), add(file, '--name', 'two')]
    const revoke = (name: string) => run(['--revoke', name, '--in', file])
    expect(revoke('one').stdout).toBe(
      `Removed from API_KEYS in ${file}, now with 1 key. Start the service again. Until then the key works.\n`,
    )
    await expect(identify(one.key, secretsOf(file))).rejects.toMatchObject({ status: 401 })
    expect((await identify(two.key, secretsOf(file))).key?.name).toBe('two')
    expect(revoke('one').stderr).toBe(
      `key: ${file} has no key with the name "one": enter the name of one, or the digits before it in npm run key -- --list --in ${file}\n`,
    )
    const other = add(file, '--name', 'two')
    expect(revoke('two').stderr).toContain('has 2 keys with the name "two"')
    for (const { digest } of [other, two]) expect(revoke(digest.slice(0, 8)).status).toBe(0)
    // Sending the file must empty the deployed secret.
    expect(readFileSync(file, 'utf8')).toBe("API_KEYS='{}'\n")
    expect(run(['--list', '--in', file]).stdout).toMatch(/ has 0 keys\.\n$/)
  })

  it('has room for 20 keys with ten series each', () => {
    const series = Array.from({ length: 10 }, (_, i) => `${i}9fe5d03-893d-5b20-8244-b9189db33e37`).join()
    const { entry } = add(at('room.vars'), '--write', '--name', 'pump 12', '--series', series)
    const [rights = {}] = Object.values<object>(JSON.parse(entry))
    const secrets = Array.from({ length: 19 }, (_, i) => addKey(at('room.vars'), String(i).padStart(64, '0'), rights))
    expect(secrets.at(-1)).toBe('API_KEYS')
  })

  it('refuses a file whose keys are not JSON', () => {
    writeFileSync(at('c.vars'), 'API_KEYS=abc\n')
    expect(run(['--add', at('c.vars')])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: `key: ${at('c.vars')}: API_KEYS is not JSON: enter {} there, and run npm run key -- --add ${at('c.vars')}\n`,
    })
  })
})

const run = (args: readonly string[]) =>
  spawnSync(process.execPath, ['seed/commands/key.ts', ...args], { encoding: 'utf8' })

const keyOf = (args: readonly string[]) => {
  const { stdout } = run(args)
  const [, key = '', digest = '', entry = '', added = ''] =
    /^.*: +(\w+)\n.*: +(\w+)\n.*: (\{.*\})\n(?:(.*)\n)?$/.exec(stdout) ?? []
  return { stdout, key, digest, entry, added }
}
