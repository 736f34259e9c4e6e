import type { SQLWrapper } from 'drizzle-orm'
import { type Faults, invalidParameters, notFound, ValueError } from '../errors.ts'
import { type Condition, textOf } from '../filters/filter.ts'
import { nearest } from './nearest.ts'
import type { Parameter } from './query.ts'
import type { Resource } from './resource.ts'

const DEFAULT_PAGE_SIZE = 10

/** What a request asks of a list, read and checked. */
export interface Plan {
  readonly conditions: readonly Condition[]
  /** By which column, null: the id; the id breaks ties. */
  readonly order: { readonly column: SQLWrapper | null; readonly descending: boolean }
  readonly page: number | 'last'
  readonly pageSize: number
}

/** Parameters that every list takes beside its filters. `format` is read before a plan is made. */
export const LIST_PARAMETERS = ['format', 'ordering', 'page', 'page_size'] as const

/**
 * Plans a request. Every bad parameter is named in one 400, and only then is the page looked at (404). `lenient`
 * passes over unknown and repeated parameters (RFC 7240), of which the last counts.
 */
export const makePlan = (resource: Resource, parameters: readonly Parameter[], lenient: boolean): Plan => {
  const faults = noFaults()
  const values = valuesOf(resource, parameters, lenient, faults)
  const read = <T>(name: string, parse: (text: string) => T, otherwise: T): T => {
    const bytes = values.get(name)
    if (bytes === undefined || bytes.length === 0) return otherwise
    return attempt(faults, name, () => parse(textOf(bytes)), otherwise)
  }
  const conditions: Condition[] = []
  for (const [name, bytes] of values) {
    const filter = resource.filters.get(name)
    if (filter === undefined || (bytes.length === 0 && !filter.takesEmpty)) continue
    const condition = attempt(faults, name, () => filter.lookup(bytes), null)
    if (condition !== null) conditions.push(condition)
  }
  const order = read('ordering', orderOf(resource), { column: null, descending: false })
  const pageSize = read('page_size', pageSizeOf(resource.maxPageSize), DEFAULT_PAGE_SIZE)
  if (Object.keys(faults).length > 0) throw invalidParameters(faults)
  return { conditions, order, page: pageOf(values.get('page')), pageSize }
}

/** Refuses what an address that is no list does not take. Parameters that clients send along everywhere are ignored. */
export const checkParameters = (parameters: readonly Parameter[], lenient: boolean): void => {
  const faults = noFaults()
  if (!lenient) for (const { name } of parameters) refuseUnknown(name, LIST_PARAMETERS, faults)
  if (Object.keys(faults).length > 0) throw invalidParameters(faults)
}

const valuesOf = (resource: Resource, parameters: readonly Parameter[], lenient: boolean, faults: Faults) => {
  const known = [...LIST_PARAMETERS, ...resource.filters.keys()]
  const values = new Map<string, Uint8Array>()
  for (const { name, bytes } of parameters) {
    if (!lenient) {
      refuseUnknown(name, known, faults)
      if (values.has(name)) faults[name] = ['Given more than once. Give it once.']
    }
    values.set(name, bytes)
  }
  return values
}

const refuseUnknown = (name: string, known: readonly string[], faults: Faults) => {
  if (known.includes(name)) return
  const suggestion = nearest(name, known)
  faults[name] = [`Unknown parameter.${suggestion === null ? '' : ` Did you mean ${suggestion}?`}`]
}

const attempt = <T>(faults: Faults, name: string, read: () => T, otherwise: T): T => {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ValueError)) throw error
    faults[name] ??= []
    faults[name].push(error.message)
    return otherwise
  }
}

const orderOf = (resource: Resource) => (text: string) => {
  const descending = text.startsWith('-')
  const name = descending ? text.slice(1) : text
  const column = Object.hasOwn(resource.orderings, name) ? resource.orderings[name] : undefined
  if (column !== undefined) return { column: column === resource.id ? null : column, descending }
  throw new ValueError(`Enter one of ${Object.keys(resource.orderings).join(', ')}, or one of these with a - in front.`)
}

const pageSizeOf = (max: number) => (text: string) => {
  const size = /^\s*\d{1,9}\s*$/.test(text) ? Number(text) : 0
  if (size < 1 || size > max) throw new ValueError(`Enter a whole number from 1 to ${max}.`)
  return size
}

const pageOf = (bytes: Uint8Array | undefined): number | 'last' => {
  if (bytes === undefined || bytes.length === 0) return 1
  const text = new TextDecoder().decode(bytes).trim()
  if (text === 'last') return text
  const page = /^\d{1,15}$/.test(text) ? Number(text) : 0
  if (page < 1) throw invalidPage()
  return page
}

/** No prototype: `__proto__` is a parameter like any other. */
const noFaults = (): Faults => Object.create(null)

export const invalidPage = () => notFound('Invalid page.')
