import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inject } from 'vitest'
import { startWorker } from '../worker.ts'

/** The deployed form of the Worker with the default data, and its OpenAPI document. */
export interface Served {
  readonly address: string
  readonly document: Document
  readonly close: () => Promise<void>
}

/** A JSON Schema or another part of a document. */
export type Part = { readonly [name: string]: unknown }

export interface Parameter {
  readonly name: string
  readonly in: 'query' | 'path' | 'header'
  readonly explode?: boolean
  readonly schema: Part & { readonly examples?: readonly unknown[] }
}

export interface Answer {
  readonly description: string
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>
  readonly content?: Readonly<Record<string, { readonly schema: Part }>>
}

export interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[]
  readonly security?: readonly Part[]
  readonly requestBody?: {
    readonly required?: boolean
    readonly content: Readonly<
      Record<string, { readonly schema: Part; readonly encoding?: Part; readonly example?: unknown }>
    >
  }
  readonly responses: Readonly<Record<string, Answer | { readonly $ref: string }>>
}

export type Path = Readonly<Record<string, Operation>> & { readonly parameters?: readonly Parameter[] }

export interface Document extends Part {
  readonly openapi: string
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Path>>
  readonly components: Readonly<Record<string, Readonly<Record<string, Part>>>>
}

/** A key that reads private data, and may not write. */
export const KEY = 'key-for-tests'
/** A key that reads private data, and may write. */
export const WRITER = 'key-that-writes'

/** Starts a service, which runs until `close` is called. */
export async function serve(variables: Readonly<Record<string, string>> = {}, filled = true): Promise<Served> {
  const folder = mkdtempSync(join(tmpdir(), 'openapi-'))
  if (filled) cpSync(inject('seeded'), folder, { recursive: true })
  const entryOf = (key: string, write: boolean) => [
    createHash('sha256').update(key).digest('hex'),
    { read: 'Private', write, name: key },
  ]
  const keys = JSON.stringify(Object.fromEntries([entryOf(KEY, false), entryOf(WRITER, true)]))
  const service = await startWorker(inject('worker'), folder, { API_KEYS: keys, ...variables }, true)
  const response = await fetch(`${service.address}/openapi.json`, { signal: AbortSignal.timeout(10_000) })
  return {
    address: service.address,
    document: (await response.json()) as Document,
    close: async () => {
      await service.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Returns the target of a reference, and any other part unchanged. Throws if the target is missing. */
export function resolve<T>(document: Document, part: T | { readonly $ref: string }): T {
  if (typeof part !== 'object' || part === null || !('$ref' in part)) return part as T
  const [, ...steps] = part.$ref.split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const found = steps.reduce<unknown>((value, step) => (value as Part | undefined)?.[step], document)
  if (found === undefined) throw new Error(`${part.$ref} leads nowhere`)
  return resolve(document, found as T)
}
