import { spawnSync } from 'node:child_process'
import { timingSafeEqual } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { countKeys, readKeys } from '../../seed/local/keys.ts'
import { callerOf } from '../../src/http/caller.ts'
import type { Env } from '../../src/http/env.ts'

// In workerd, this function is a member of `crypto.subtle`.
beforeAll(() => Object.assign(crypto.subtle, { timingSafeEqual }))

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
    [['--read=hidden'], { level: 300, key: { name: '', write: false, series: null } }],
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

describe('npm run key -- --add', () => {
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
