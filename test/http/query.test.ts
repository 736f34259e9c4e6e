import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { Env } from '../../src/http/env.ts'
import { sealOf } from '../../src/http/query.ts'

const [A, B] = [`{"${'a'.repeat(64)}":{}}`, `{"${'b'.repeat(64)}":{}}`]
const seal = (vars: Partial<Env>, text = 'text') => sealOf({ DB: env.DB, ...vars }, text)

describe('a seal', () => {
  it.each<[string, Partial<Env>]>([
    ['with a key', { API_KEYS: A }],
    ['with keys in two secrets', { API_KEYS: A, API_KEYS_2: B }],
    ['without keys', {}],
  ])('%s is equal for equal texts only', async (_, vars) => {
    expect(await seal(vars)).toMatch(/^[0-9a-f]{16}$/)
    expect(await seal(vars)).toBe(await seal(vars))
    expect(await seal(vars)).not.toBe(await seal(vars, 'other'))
  })

  it('differs for other keys in any of the secrets', async () => {
    const all = [{}, { API_KEYS: A }, { API_KEYS: B }, { API_KEYS: A, API_KEYS_2: B }, { API_KEYS: B, API_KEYS_2: A }]
    expect(new Set(await Promise.all(all.map((vars) => seal(vars)))).size).toBe(all.length)
  })

  it.each(['', '{}'])('uses a secret of the isolate if API_KEYS is %j', async (API_KEYS) => {
    expect(await seal({ API_KEYS })).toBe(await seal({}))
  })

  it('does not depend on the order of the secrets', async () => {
    expect(await seal({ API_KEYS_2: B, API_KEYS: A })).toBe(await seal({ API_KEYS: A, API_KEYS_2: B }))
  })
})
