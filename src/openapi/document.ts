import type { Schema } from '../filters/lookups.ts'
import { type Summarised, summarySchemas } from '../list/summary.ts'
import type { Resource } from '../resource.ts'
import { ANSWER_SCHEMAS, answerComponents, contentSchemas } from './answers.ts'
import { bodySchemas } from './bodies.ts'
import { parameterComponents, queryOf, summaryQueryOf, valueSchemas, writtenKeyComponents } from './parameters.ts'
import { healthPath, itemPath, listPath, rootPath, summaryPath, tagOf } from './paths.ts'

/** The addresses to describe. */
export interface Api {
  readonly version: string
  /** The addresses above the lists, with the name and the path of each entry below. */
  readonly roots: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly resources: readonly Resource[]
  readonly summaries: readonly Summarised[]
}

const DESCRIPTION = `Geo-referenced, time-stamped events and the series that group them.

Filters apply together. An empty value is no filter; an unknown or repeated parameter is a 400. Comma lists are written
with plain commas. In an address a plus is \`%2B\`.

Writing needs a key that writes. What is sent is stored whole, or not at all.

The same as OGC API - Features and Tiles is described at /ogc/api, in OpenAPI 3.0.`

/** Describes the interface in OpenAPI 3.1. All its addresses begin with `base`. */
export const documentOf = ({ version, roots, resources, summaries }: Api, base: string): object => ({
  openapi: '3.1.1',
  info: {
    title: 'Event and Event Series Query Interface',
    version,
    description: DESCRIPTION,
    license: { name: 'MIT', identifier: 'MIT' },
  },
  servers: [{ url: base }],
  security: [{}, { bearer: [] }, { basic: [] }],
  tags: [
    ...resources.flatMap(({ path, description, under }) => (under ? [] : [{ name: tagOf(path), description }])),
    { name: 'roots', description: 'What there is.' },
    { name: 'health', description: 'How the service is.' },
  ],
  paths: Object.fromEntries([
    ...resources.flatMap((resource) => [
      [addressOf(resource.path), listPath(resource)],
      [`${addressOf(resource.path)}{${resource.key.name}}/`, itemPath(resource)],
    ]),
    ...summaries.map((summarised) => [summarised.path, summaryPath(summarised)]),
    ...Object.entries(roots).map(([path, entries]) => [path, rootPath(path, entries)]),
    ['/healthz', healthPath('healthz', 'The Worker answers.', 'Health')],
    ['/readyz', healthPath('readyz', 'The database answers and is migrated.', 'Readiness', 503)],
  ]),
  components: {
    schemas: schemasOf(resources, summaries),
    parameters: {
      ...parameterComponents([...resources.map(queryOf), ...summaries.map(summaryQueryOf)]),
      ...writtenKeyComponents(resources),
    },
    ...answerComponents(),
    securitySchemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        description: 'A key.',
      },
      basic: { type: 'http', scheme: 'basic', description: 'The user `__key__`, a key as password.' },
    },
  },
})

/** Writes a path as OpenAPI does, with `{uuid}` for a parameter. */
const addressOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}')

const schemasOf = (resources: readonly Resource[], summaries: readonly Summarised[]): Schema =>
  Object.assign(
    {},
    ...resources.flatMap((resource) => [contentSchemas(resource), bodySchemas(resource)]),
    valueSchemas(resources),
    ANSWER_SCHEMAS,
    ...summaries.map(summarySchemas),
  )
