import type { Env } from '../env.ts'
import { CODE } from './code.ts'

/**
 * Names the code and the variables that answers depend on, for ETags and for the keys of the cache. A new key for callers
 * changes neither. Tests have no built code, so there the version of the Worker stands for it. Null without both.
 */
export const answerVersion = (env: Env): string | null => {
  const code = CODE ?? env.CF_VERSION_METADATA?.id
  const { BASE_URL, CACHE_SECONDS, DESCRIPTION, MAP_STYLE, SHOW_COST, TITLE } = env
  const variables = [BASE_URL, CACHE_SECONDS, DESCRIPTION, MAP_STYLE, SHOW_COST, TITLE].map((value) => value ?? '')
  return code === undefined ? null : JSON.stringify([code, ...variables])
}
