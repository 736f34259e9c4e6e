import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Difference } from './differences.ts'
import type { Request } from './service.ts'

/**
 * Differences that are intended. Each file in allowed/ has one topic, such as allowed/severity.json:
 *
 *     {
 *       "topic": "Events have a severity",
 *       "reason": "CHANGELOG, 1.1: a new nullable column",
 *       "differences": [
 *         { "method": "GET|HEAD", "path": "^/api/v3/events/", "part": "body.results[*].severity", "before": "(none)" },
 *         { "path": "[?&]format=csv", "part": "body*" },
 *         { "path": "^/ogc/", "part": "header link", "before": "rel=\"old\"", "after": "rel=\"new\"" }
 *       ]
 *     }
 *
 * `method`, `path` and `sent` are patterns. `sent` is one for a header of the request, such as `prefer: lenient`. `*` in
 * `part` stands for any text. With `after`, each `before` in the recorded
 * part is replaced by it, and the result must be the new part. Without `after`, the recorded part must be `before`.
 * With the pattern `without`, both must be equal where its matches are left out.
 */
export interface Allowed {
  readonly method?: string
  readonly path: string
  readonly sent?: string
  readonly part: string
  readonly before?: string
  readonly after?: string
  readonly without?: string
}

const FOLDER = join(import.meta.dirname, 'allowed')

/** Reads all allowed differences. */
export const readAllowed = (): Allowed[] =>
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .flatMap((name) => JSON.parse(readFileSync(join(FOLDER, name), 'utf8')).differences)

/** Returns true if this difference of an answer to a request is allowed. */
export const isAllowed = (rule: Allowed, { method, path, headers }: Request, difference: Difference): boolean =>
  new RegExp(`^(?:${rule.method ?? '.*'})$`).test(method) &&
  new RegExp(rule.path).test(path) &&
  (rule.sent === undefined || linesOf(headers).some((line) => new RegExp(rule.sent ?? '', 'i').test(line))) &&
  globOf(rule.part).test(difference.part) &&
  isExplained(rule, difference)

const linesOf = (headers: Request['headers']): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`)

const isExplained = (rule: Allowed, { before, after }: Difference): boolean => {
  if (rule.without !== undefined) {
    const pattern = new RegExp(rule.without, 'g')
    return before.replaceAll(pattern, '') === after.replaceAll(pattern, '')
  }
  if (rule.before === undefined) return rule.after === undefined || rule.after === after
  return rule.after === undefined ? rule.before === before : before.replaceAll(rule.before, rule.after) === after
}

const globOf = (part: string): RegExp =>
  new RegExp(`^${part.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`, 's')
