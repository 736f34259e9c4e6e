import { apiKeys } from '../caller.ts'
import type { Seal } from '../engine/conditions/cursor.ts'
import type { Env } from '../env.ts'
import { digest } from './query.ts'

/** The secret of this isolate. The first request makes it, because a Worker has no random numbers before. */
let random: string | undefined

/**
 * Returns a function that signs texts. It uses the API keys, which all isolates share. Without keys each isolate uses a
 * random secret.
 */
export const sealOf = (env: Env): Seal => {
  const secrets = apiKeys(env).filter((keys) => /[0-9a-f]{64}/i.test(keys))
  if (secrets.length === 0) {
    random ??= crypto.randomUUID()
    secrets.push(random)
  }
  return (text) => digest([...secrets, text])
}
