import { apiKeys } from '../caller.ts'
import type { Env } from '../env.ts'
import type { Seal } from '../query/cursor.ts'
import { digest } from './query.ts'

/** The secret of this isolate. It is made by the first request, as a Worker has no random numbers before that. */
let random: string | undefined

/** Seals texts with the API keys, which all isolates share. Without keys each isolate has a random secret of its own. */
export const sealOf = (env: Env): Seal => {
  const secrets = apiKeys(env).filter((keys) => /[0-9a-f]{64}/i.test(keys))
  if (secrets.length === 0) {
    random ??= crypto.randomUUID()
    secrets.push(random)
  }
  return (text) => digest([...secrets, text])
}
