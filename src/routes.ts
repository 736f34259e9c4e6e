import { version } from '../package.json'
import { NESTED, RESOURCES, ROOTS, SUMMARIES } from './api/versions.ts'
import { isOgc, methodsAtOgc } from './ogc/addresses.ts'
import { textsOf } from './openapi/texts.ts'
import { LIST_METHODS, methodsOfItem, methodsOfList, READ_METHODS } from './request/options.ts'

export const LISTS = [...RESOURCES, ...NESTED]
/** The texts that describe the interface, by path. */
export const TEXTS = textsOf({ version, roots: ROOTS, resources: LISTS, summaries: SUMMARIES })
export const HEALTH_METHODS = ['GET', 'HEAD']

/**
 * Returns the methods that a root, a text, a list or an item allows, even if that item does not exist. It is null for
 * any other path.
 */
export const methodsAt = (path: string): readonly string[] | null => {
  if (Object.hasOwn(ROOTS, path) || Object.hasOwn(TEXTS, path)) return READ_METHODS
  if (path === '/healthz' || path === '/readyz') return HEALTH_METHODS
  if (isOgc(path)) return methodsAtOgc(path)
  const named = listAt(path)
  if (named) return methodsOfList(named)
  if (isSummary(path)) return LIST_METHODS
  const list = listAt(path.replace(/[^/]+\/$/, ''))
  return list ? methodsOfItem(list) : null
}

const PATTERNS = LISTS.map((resource) => ({
  resource,
  pattern: new RegExp(`^${resource.path.replace(/:\w+/g, '[^/]+')}$`),
}))

/** Returns the list at a path. It is undefined for any other path. */
export const listAt = (path: string) => PATTERNS.find(({ pattern }) => pattern.test(path))?.resource

export const isSummary = (path: string): boolean => SUMMARIES.some((summary) => summary.path === path)
