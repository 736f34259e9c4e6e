import { filePath } from '../downloads.ts'
import type { Schema } from '../filters/lookups.ts'
import { ref } from '../model/schema.ts'
import type { Summarised } from '../request/summary.ts'
import type { Resource } from '../resource.ts'
import { documentOf, json } from './operations.ts'
import { parameterComponents, valueSchemas } from './parameters.ts'
import { filesPath, healthPath, itemPath, listPath, rootPath, summaryPath } from './paths.ts'
import { tagOf } from './queries.ts'
import { ANSWER_SCHEMAS, bodySchemas, contentSchemas } from './schemas.ts'

export interface ApiOutline {
  readonly version: string
  /** The addresses above the lists, with the name and the path of each entry below. */
  readonly roots: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly resources: readonly Resource[]
  readonly summaries: readonly Summarised[]
}

const DESCRIPTION = `Geo-referenced, time-stamped events and the series that group them.

An item must match all filters. The service ignores a filter with an empty value. An unknown or repeated parameter is
a 400. Write lists with plain commas. In an address, write a plus as \`%2B\`.

Writing needs a key that may write. The service stores all items of a request, or none of them.

The service also offers OGC API - Features and Tiles. Its description in OpenAPI 3.0 is at /ogc/api.`

/** Describes the lists and everything else outside `/ogc`. All addresses begin with `base`. */
export const apiDocument = ({ version, roots, resources, summaries }: ApiOutline, base: string): Schema =>
  documentOf(
    base,
    {
      info: { title: 'Event and Event Series Query Interface', version, description: DESCRIPTION },
      tags: [
        ...resources.flatMap(({ path, description, under }) => (under ? [] : [{ name: tagOf(path), description }])),
        { name: 'roots', description: 'The addresses of the lists.' },
        { name: 'health', description: 'The state of the service.' },
      ],
      paths: Object.fromEntries([
        ...resources.flatMap((resource) => [
          [addressOf(resource.path), listPath(resource)],
          [filePath(addressOf(resource.path), '{extension}'), filesPath(resource)],
          [`${addressOf(resource.path)}{${resource.key.name}}/`, itemPath(resource)],
        ]),
        ...summaries.map((summarised) => [summarised.path, summaryPath(summarised)]),
        ...Object.entries(roots).map(([path, entries]) => [path, rootPath(path, entries)]),
        ['/healthz', healthPath('healthz', 'The Worker answers.', 'Health')],
        ['/readyz', healthPath('readyz', 'The database answers, and all migrations have run.', 'Readiness', 503)],
      ]),
      components: {
        schemas: Object.assign(
          {},
          ...resources.flatMap((resource) => [
            contentSchemas(resource),
            resource.writable && bodySchemas(resource.writable),
          ]),
          valueSchemas(resources),
          ANSWER_SCHEMAS,
          ...summaries.map(({ schemas }) => schemas),
        ),
        parameters: parameterComponents(resources, summaries),
      },
    },
    (status) => json(status === '400' ? { anyOf: [ref('Faults'), ref('Detail')] } : ref('Detail')),
  )

/** Writes a path as OpenAPI does, with `{uuid}` for a parameter. */
const addressOf = (path: string): string => path.replace(/:(\w+)/g, '{$1}')
