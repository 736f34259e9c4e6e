import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Document, KEY, type Served, serve, WRITER } from './served.ts'

const FOLDER = join(import.meta.dirname, 'client')
const TOUR = join(FOLDER, 'tour.ts')
let served: Served
let types: string
let toured: unknown

/** Sends all requests first. While TypeScript compiles, open connections would time out. */
beforeAll(async () => {
  served = await serve()
  const program = './client/tour.ts'
  const { tour } = (await import(program)) as { tour: (address: string, ...keys: string[]) => Promise<unknown> }
  toured = await tour(served.address, KEY, WRITER)
  types = await typesOf(served.document)
})

afterAll(() => served?.close())

const typesOf = async (document: Document) =>
  astToString(await openapiTS(structuredClone(document) as unknown as OpenAPI3))

/** A cache of parsed files for all programs, because the declarations of TypeScript's own libraries are long. */
const read = new Map<string, ts.SourceFile>()

/** Compiles files, which are given by name and text, with the types of a document. Returns the errors of TypeScript. */
const faultsOf = (api: string, files: Readonly<Record<string, string>>): string[] => {
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2024,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2024.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
    types: [],
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    noEmit: true,
  }
  const made = new Map(Object.entries({ 'api.d.ts': api, ...files }).map(([name, text]) => [join(FOLDER, name), text]))
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile, getSourceFile } = host
  host.fileExists = (name) => made.has(name) || fileExists(name)
  host.readFile = (name) => made.get(name) ?? readFile(name)
  host.getSourceFile = (name, ...rest) => {
    const text = made.get(name)
    if (text !== undefined) return ts.createSourceFile(name, text, ts.ScriptTarget.ES2024)
    const file = read.get(name) ?? getSourceFile(name, ...rest)
    if (file !== undefined) read.set(name, file)
    return file
  }
  const roots = [join(FOLDER, 'api.d.ts'), ...Object.keys(files).map((name) => join(FOLDER, name))]
  const program = ts.createProgram(Object.keys(files).length > 0 ? roots : [...roots, TOUR], options, host)
  return ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, messageText }) =>
        `${file?.fileName.replace(/.*\//, '')}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    )
}

describe('a TypeScript client with types from the description', () => {
  it('compiles', () => {
    expect(faultsOf(types, {})).toEqual([])
  })

  it('receives what its types declare', () => {
    expect(toured).toEqual({
      count: 27,
      next: expect.stringContaining('page=3'),
      storms: [
        '2235 storm 448 at -49.2 31.1 until 2017-09-24T00:00:00.000Z: Lee 2017: up to 50 kn',
        '2233 storm 448 at -44.4 16.8 until 2017-09-20T06:00:00.000Z: Lee 2017: up to 40 kn',
        '2232 storm 449 at -57 13.6 until 2017-09-28T00:00:00.000Z: Maria 2017: up to 150 kn',
      ],
      text: 'Lee 2017: up to 50 kn',
      within: 157,
      strikes: 297,
      kept: [['Earthquakes worldwide', 'Private', 2018]],
      east: 4.9,
      reason: 'Not found.',
      boxes: [['469018d8', 'Zomertijd Nederland', [4.9, 52.36667]]],
      header: 'url,id,code,name,unit',
      written: {
        same: true,
        statuses: [200, 412, 200, 204, 204, 204],
        refused: { detail: expect.stringContaining('This Idempotency-Key was used for another request.') },
        value: '0.4 m',
        faulty: 2,
      },
      faults: { categroy: ['Unknown parameter. Did you mean category?'] },
      nothing: undefined,
    })
  })

  it.each<[string, (text: string) => string]>([
    ['a renamed property', (text) => text.replace('"timestamp_end":{"type":"integer"', '"ends":{"type":"integer"')],
    [
      'a property that can be null',
      (text) => text.replace(/("category":{"type":"string"},"value":{"type":)"string"/, '$1["string","null"]'),
    ],
    ['a renamed filter', (text) => text.replaceAll('"name":"object"', '"name":"thing"')],
    ['a filter of another type', (text) => text.replaceAll('{"type":"boolean"', '{"type":"integer"')],
    [
      'a renamed ordering',
      (text) => text.replaceAll('"enum":["id","-id","timestamp_start"', '"enum":["name","-timestamp_start"'),
    ],
    ['a renamed format', (text) => text.replaceAll('"ndjson"', '"lines"').replaceAll('"csv"', '"table"')],
    ['another value for whole results', (text) => text.replaceAll('{"const":"all"}', '{"const":"everything"}')],
    ['a renamed field of a body', (text) => text.replace('"observation_type":{"anyOf"', '"type":{"anyOf"')],
    [
      'a new required field',
      (text) => text.replace('"required":["timestamp_start","event_series"]', '"required":["timestamp_start","value"]'),
    ],
    ['a renamed address', (text) => text.replaceAll('/api/v4/eventseries/', '/api/v5/eventseries/')],
  ])('does not compile if the description has %s', async (_, change) => {
    const text = JSON.stringify(served.document)
    const changed = change(text)
    expect(changed).not.toBe(text)
    expect(faultsOf(await typesOf(JSON.parse(changed)), {})).not.toEqual([])
  })
})

describe('the TypeScript example of docs/clients.md', () => {
  const clients = readFileSync(join(import.meta.dirname, '../../docs/clients.md'), 'utf8')
  const [, example = ''] = /```ts\n([^`]*)```/.exec(clients) ?? []

  it('compiles, and a wrong media type or ordering is an error', () => {
    expect(faultsOf(types, { 'example.ts': example })).toEqual([])
    expect(faultsOf(types, { 'example.ts': example.replace(", 'application/json'", '') })).not.toEqual([])
    expect(faultsOf(types, { 'example.ts': example.replace('-timestamp_start', '-name') })).not.toEqual([])
  })

  it('runs and prints its events', async () => {
    const program = example.replace('http://localhost:8787', served.address)
    expect(program).not.toBe(example)
    // The program runs like a file in the folder of the packages.
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module-typescript', '-e', program])
    const query = 'category__in=hurricane,Climb&ordering=-timestamp_start&page_size=2'
    const page = await (await fetch(`${served.address}/api/v3/events/?${query}`)).json()
    const { count, results } = page as { count: number; results: { id: number; properties: { value: string } }[] }
    expect(stdout).toBe(results.map(({ id, properties }) => `${count} ${id} ${properties.value}\n`).join(''))
    expect(results).toHaveLength(2)
  })
})
