import { version } from '../package.json'
import { NESTED, RESOURCES, ROOTS, SUMMARIES } from './api/versions.ts'
import { LIST_METHODS, methodsOfItem, methodsOfList, READ_METHODS } from './list/options.ts'
import { isOgc, methodsAtOgc } from './ogc/addresses.ts'
import { textsOf } from './openapi/texts.ts'

export const LISTS = [...RESOURCES, ...NESTED]
/** What describes the interface, by path. */
export const TEXTS = textsOf({ version, roots: ROOTS, resources: LISTS, summaries: SUMMARIES })
export const HEALTH_METHODS = ['GET', 'HEAD']

/** What is taken at the path of a root, a text, a list or an item, whether or not the item exists; null for any other. */
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

/** The list at a path. */
export const listAt = (path: string) => PATTERNS.find(({ pattern }) => pattern.test(path))?.resource

export const isSummary = (path: string): boolean => SUMMARIES.some((summary) => summary.path === path)
