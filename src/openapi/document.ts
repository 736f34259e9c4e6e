import { version } from '../../package.json'
import { SUMMARY, SUMMARY_SCHEMAS } from '../api/summary.ts'
import { LISTS, ROOTS } from '../api/versions.ts'
import type { Schema } from '../filters/lookups.ts'
import { ADDRESS, record, ref } from '../model/schema.ts'
import { idOf, pathsOf, summaryPath, tagOf } from './lists.ts'
import { AT_READING, document, documentOf, getAndHead, json, optionsOf, success } from './operations.ts'
import { DOCUMENT_FORMAT, parameter, parameterComponents, valueSchemas } from './parameters.ts'
import { ANSWER_SCHEMAS, bodySchemas, contentSchemas } from './schemas.ts'

const DESCRIPTION = `Geo-referenced, time-stamped events and the series that group them.

An item must match all filters. The service ignores a filter with an empty value. An unknown or repeated parameter is
a 400. Write lists with plain commas. In an address, write a plus as \`%2B\`.

Writing needs a key that may write. The service stores all items of a request, or none of them.

The service also offers OGC API - Features and Tiles. Its description in OpenAPI 3.0 is at /ogc/api.`

/** Describes the lists and everything else outside `/ogc`. All addresses begin with `base`. */
export const apiDocument = (base: string): Schema =>
  documentOf(
    base,
    {
      info: { title: 'Event and Event Series Query Interface', version, description: DESCRIPTION },
      tags: [
        ...LISTS.flatMap(({ path, description, under }) => (under ? [] : [{ name: tagOf(path), description }])),
        { name: 'roots', description: 'The addresses of the lists.' },
        { name: 'health', description: 'The state of the service.' },
      ],
      paths: Object.fromEntries([
        ...LISTS.flatMap(pathsOf),
        [SUMMARY.path, summaryPath()],
        ...Object.entries(ROOTS).map(([path, entries]) => [path, rootPath(path, entries)]),
        ['/healthz', healthPath('healthz', 'The Worker answers.', 'Health')],
        ['/readyz', healthPath('readyz', 'The database answers, and all migrations have run.', 'Readiness', 503)],
      ]),
      components: {
        schemas: Object.assign(
          {},
          ...LISTS.flatMap((resource) => [
            contentSchemas(resource),
            resource.writable && bodySchemas(resource.writable),
          ]),
          valueSchemas(LISTS),
          ANSWER_SCHEMAS,
          SUMMARY_SCHEMAS,
        ),
        parameters: parameterComponents(LISTS),
      },
    },
    (status) => json(status === '400' ? { anyOf: [ref('Faults'), ref('Detail')] } : ref('Detail')),
  )

const rootPath = (path: string, entries: Readonly<Record<string, string>>): Schema => {
  const about = { tags: ['roots'], operationId: path === '/' ? 'root' : `${idOf(path)}Root`, summary: path }
  const addresses = record(Object.fromEntries(Object.keys(entries).map((name) => [name, ADDRESS])))
  return {
    ...getAndHead(
      { ...about, summary: `The addresses below ${path}`, parameters: [parameter(DOCUMENT_FORMAT)] },
      success('The name and the address of each.', ['Allow', 'Link'], document(addresses)),
      AT_READING,
    ),
    options: optionsOf(about, 'Description'),
  }
}

const healthPath = (name: string, says: string, schema: string, ...statuses: number[]): Schema =>
  getAndHead(
    { tags: ['health'], operationId: name, summary: says },
    success(says, ['Cache-Control'], json(ref(schema))),
    [429, ...statuses],
  )
