import { spawnSync } from 'node:child_process'
import { timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { identify } from '../../src/caller.ts'
import type { Env } from '../../src/env.ts'

// What workerd has and Node has elsewhere.
beforeAll(() => Object.assign(crypto.subtle, { timingSafeEqual }))

/** Who a key is to a Worker with these keys. */
const callerWith = (key: string, API_KEYS: string | undefined) =>
  identify(`Bearer ${key}`, { ...(API_KEYS !== undefined && { API_KEYS }) } as Env)

describe('key', () => {
  it.each([
    [[], { level: 100, key: { name: '', write: false } }],
    [['--read', 'Private', '--write', '--name', 'me "x"'], { level: 200, key: { name: 'me "x"', write: true } }],
    [['--read=hidden'], { level: 300, key: { name: '', write: false } }],
  ])('%j', async (args, caller) => {
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

  it('shows the key once', () => {
    const { key, stdout } = keyOf([])
    expect(stdout.split(key)).toHaveLength(2)
  })

  it.each([
    ['--read', 'Everything'],
    ['--read', 'Public'],
    ['--read', ''],
    ['--read', '200'],
  ])('%s %j is refused', (...args) => {
    const stderr = `key: --read takes Common, Private or Hidden, not ${args[1]}\n`
    expect(run(args)).toMatchObject({ status: 1, stdout: '', stderr })
  })

  it('explains itself', () => {
    expect(run(['--help'])).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage: npm run key /) })
    for (const args of [['--nope'], ['key'], ['--read']])
      expect(run(args)).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('Usage: npm run key') })
  })
})

it('.dev.vars.example has the key that it names', async () => {
  const text = readFileSync('.dev.vars.example', 'utf8')
  const key = /the key "([^"]+)"/.exec(text)?.[1] ?? ''
  const [id] = /[0-9a-f]{64}/.exec(text) ?? []
  const caller = { level: 200, key: { id, name: 'example', write: false } }
  expect(await callerWith(key, parseEnv(text).API_KEYS)).toEqual(caller)
})

const run = (args: readonly string[]) => spawnSync(process.execPath, ['seed/key.ts', ...args], { encoding: 'utf8' })

const keyOf = (args: readonly string[]) => {
  const { stdout } = run(args)
  const [, key = '', digest = '', entry = ''] = /^.*: +(\w+)\n.*: +(\w+)\n.*: (\{.*\})\n$/.exec(stdout) ?? []
  return { stdout, key, digest, entry }
}
