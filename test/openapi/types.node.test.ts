import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import { expect, it } from 'vitest'
import { TEXTS } from '../../src/routes.ts'

/** The schemas of the answers that the page reads. */
const READ = [
  ...['Feature', 'EventV4', 'EventWithSeriesV4', 'EventV4Page', 'EventFeature', 'EventSeriesV3', 'EventSeriesV4'],
  ...['ObservationType', 'Summary'],
]

/** Adds the schemas that these schemas refer to. */
const withReferences = (schemas: Readonly<Record<string, unknown>>, names: readonly string[]): readonly string[] => {
  const text = JSON.stringify(names.map((name) => schemas[name]))
  const references = Array.from(text.matchAll(/"#\/components\/schemas\/(\w+)"/g), ([, name = '']) => name)
  const all = new Set([...names, ...references])
  return all.size === names.length ? names : withReferences(schemas, [...all])
}

// To write the file again: npx vitest run --project node test/openapi/types.node.test.ts -u
it('src/web/api.d.ts has the types of the OpenAPI document', async () => {
  const { openapi, info, components } = JSON.parse(TEXTS['/openapi.json']?.of('') ?? '') as OpenAPI3
  const all = components?.schemas ?? {}
  const schemas = Object.fromEntries(withReferences(all, READ).map((name) => [name, all[name]]))
  const document = { openapi, info, paths: {}, components: { schemas } } as OpenAPI3
  const types = astToString(await openapiTS(document, { immutable: true }))
  const part = types.slice(types.indexOf('export interface components'), types.indexOf('export type $defs'))
  await expect(
    `// Written by test/openapi/types.node.test.ts.\n${part}export type Schemas = components["schemas"];\n`,
  ).toMatchFileSnapshot('../../src/web/api.d.ts')
})
