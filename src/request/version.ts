import type { Env } from '../env.ts'
import { CODE } from './code.ts'

/**
 * Names the code and the variables that decide answers, for ETags and cache keys. It stays the same when an operator
 * adds a key. Tests lack the built code, and use the version of the Worker. Null without both.
 */
export const answerVersion = (env: Env): string | null => {
  const code = CODE ?? env.CF_VERSION_METADATA?.id
  const { BASE_URL, CACHE_SECONDS, DESCRIPTION, MAP_STYLE, SHOW_COST, TITLE } = env
  const variables = [BASE_URL, CACHE_SECONDS, DESCRIPTION, MAP_STYLE, SHOW_COST, TITLE].map((value) => value ?? '')
  return code === undefined ? null : JSON.stringify([code, ...variables])
}
