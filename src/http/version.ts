import type { Env } from '../env.ts'
import { CODE } from './code.ts'

/**
 * Names the code and the variables that answers depend on, for ETags and for the keys of the cache. They stay the same
 * when an operator adds a key. Tests have no built code, so they use the version of the Worker. It is null if both are missing.
 */
export const answerVersion = (env: Env): string | null => {
  const code = CODE ?? env.CF_VERSION_METADATA?.id
  const { BASE_URL, CACHE_SECONDS, DESCRIPTION, MAP_STYLE, SHOW_COST, TITLE } = env
  const variables = [BASE_URL, CACHE_SECONDS, DESCRIPTION, MAP_STYLE, SHOW_COST, TITLE].map((value) => value ?? '')
  return code === undefined ? null : JSON.stringify([code, ...variables])
}
