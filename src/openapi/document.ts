import { FILES, filePath } from '../downloads.ts'
import type { Schema } from '../filters/lookups.ts'
import { ADDRESS, record, ref, STRING } from '../model/schema.ts'
import { ANSWER_HEADERS, ERRORS } from '../request/headers.ts'
import { fileParametersOf } from '../request/page.ts'
import type { Summarised } from '../request/summary.ts'
import { isWritable, type Resource } from '../resource.ts'
import {
  aboutOf,
  changesAt,
  contentOf,
  idOf,
  listed,
  listPath,
  optionsOf,
  queried,
  READ_HEADERS,
  tagOf,
} from './lists.ts'
import { AT_READING, document, getAndHead, json, KEYS, READ, success } from './operations.ts'
import {
  DOCUMENT_FORMAT,
  inPath,
  parameter,
  parameterComponents,
  queryOf,
  summaryQueryOf,
  valueSchemas,
} from './parameters.ts'
import { ANSWER_SCHEMAS, bodySchemas, contentSchemas, itemsContent, OBJECT } from './schemas.ts'

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
        ...resources.flatMap((resource) => {
          const path = resource.path.replace(/:(\w+)/g, '{$1}')
          const { under, key } = resource
          const owner = under && [inPath(under.parent.key)]
          return [
            [path, { ...(owner && { parameters: owner }), ...listPath(resource) }],
            [filePath(path, '{extension}'), { parameters: [...(owner ?? []), EXTENSION], ...filesPath(resource) }],
            [`${path}{${key.name}}/`, { parameters: [...(owner ?? []), inPath(key)], ...itemPath(resource) }],
          ]
        }),
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

interface Outline {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly tags: readonly Schema[]
  readonly paths: Schema
  readonly components: { readonly schemas: Schema; readonly parameters: Schema }
}

/** Makes a document in OpenAPI 3.1. All its addresses begin with `base`. `errorOf` describes the body of an error. */
export const documentOf = (
  base: string,
  { info, components, ...outline }: Outline,
  errorOf: (status: string) => Schema,
): Schema => {
  const errors = Object.entries(ERRORS).flatMap(([status, { says, headers = [] }]) =>
    says === null ? [] : [[status, success(says, headers, errorOf(status))]],
  )
  const headers = Object.entries(ANSWER_HEADERS).flatMap(([name, { says, atTimes, undeclared }]) =>
    undeclared ? [] : [[name, { description: says, required: !atTimes, schema: STRING }]],
  )
  return {
    openapi: '3.1.1',
    info: { ...info, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: base }],
    security: [{}, ...KEYS],
    ...outline,
    components: {
      ...components,
      responses: { 304: success('The cached answer is still valid.', READ), ...Object.fromEntries(errors) },
      headers: Object.fromEntries(headers),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A key.' },
        basic: { type: 'http', scheme: 'basic', description: 'The user name is `__key__`, and the password is a key.' },
      },
    },
  }
}

/** The end of an address that names a format. */
const EXTENSION = inPath({
  name: 'extension',
  description: 'The format.',
  schema: { type: 'string', enum: FILES },
  example: 'ndjson',
})

/** Describes the addresses of a list that end with a format. They take the queries of the list. */
const filesPath = (resource: Resource): Schema => {
  const about = aboutOf(resource.path, `${resource.name} as a file`, 'File')
  const query = queryOf(resource, fileParametersOf(resource))
  return {
    // The form of the list has the schema of each parameter.
    ...listed(about, query, itemsContent(resource, 'list'), { schema: OBJECT }),
    options: optionsOf(about, 'ListDescription', true),
  }
}

const summaryPath = (summarised: Summarised): Schema => {
  const { path, name, description } = summarised
  const about = aboutOf(path, name)
  const answer = (headers: readonly string[]) => success('The summary.', headers, document(ref('Summary')))
  return {
    ...queried({ ...about, description }, summaryQueryOf(summarised), answer),
    options: optionsOf(about, 'SummaryDescription'),
  }
}

const itemPath = (resource: Resource): Schema => {
  const { path, item, itemName } = resource
  const about = aboutOf(path, itemName, 'Item')
  const parameters = [...['format', `${item}.fields`, 'locale'].map(parameter), ...READ_HEADERS]
  const answer = success('The item.', [...READ, 'Content-Disposition'], contentOf(resource, 'item'))
  return {
    ...getAndHead({ ...about, parameters }, answer),
    ...(isWritable(resource) && changesAt(about, resource)),
    options: optionsOf(about, 'Description', true),
  }
}

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
