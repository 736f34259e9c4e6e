import { FILES, filePath } from '../downloads.ts'
import type { Schema } from '../filters/lookups.ts'
import { ADDRESS, record, ref } from '../model/schema.ts'
import { fileParametersOf, LOCALE } from '../request/page.ts'
import { FORM } from '../request/route.ts'
import type { Summarised } from '../request/summary.ts'
import { isWritable, type Resource } from '../resource.ts'
import {
  aboutOf,
  changesAt,
  content,
  idOf,
  LISTED,
  optionsOf,
  PAGE,
  POSTED,
  postByForm,
  postOf,
  queried,
  READ_HEADERS,
  references,
  removeManyOf,
  tagOf,
} from './lists.ts'
import { AT_READING, document, documentOf, getAndHead, json, READ, success } from './operations.ts'
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

const listPath = (resource: Resource): Schema => {
  const { path, name, description, under } = resource
  const about = aboutOf(path, name)
  const query = queryOf(resource)
  return {
    ...(under && { parameters: [inPath(under.parent.key)] }),
    ...getAndHead(
      { ...aboutOf(path, name, 'List'), description, parameters: [...references(query), ...READ_HEADERS] },
      success(PAGE, [...READ, ...LISTED, 'X-Total-Count'], content(resource, 'list')),
    ),
    post: isWritable(resource) ? postOf(about, query, resource) : postByForm(about, query, queried(resource)),
    ...(isWritable(resource) && removeManyOf(about, query, resource)),
    options: optionsOf(about, 'ListDescription', under !== undefined),
  }
}

/** The end of an address that names a format. */
const EXTENSION = {
  name: 'extension',
  description: 'The format.',
  schema: { type: 'string', enum: FILES },
  example: 'ndjson',
}

/** Describes the addresses of a list that end with a format. They take the queries of the list. */
const filesPath = (resource: Resource): Schema => {
  const { path, name, under } = resource
  const about = aboutOf(path, `${name} as a file`, 'File')
  const query = queryOf(resource, fileParametersOf(resource))
  const answer = (headers: readonly string[]) =>
    success(PAGE, [...headers, ...LISTED, 'X-Total-Count'], itemsContent(resource, 'list'))
  return {
    parameters: [...(under ? [under.parent.key] : []), EXTENSION].map(inPath),
    ...getAndHead({ ...about, parameters: [...references(query), ...READ_HEADERS] }, answer(READ)),
    // The form of the list has the schema of each parameter.
    post: { ...postByForm(about, [], answer(POSTED)), requestBody: { content: { [FORM]: { schema: OBJECT } } } },
    options: optionsOf(about, 'ListDescription', true),
  }
}

const summaryPath = (summarised: Summarised): Schema => {
  const { path, name, description } = summarised
  const about = aboutOf(path, name)
  const query = summaryQueryOf(summarised)
  const asked = { ...about, description, parameters: [...references(query), ...READ_HEADERS] }
  const answer = (headers: readonly string[]) => success('The summary.', headers, document(ref('Summary')))
  return {
    ...getAndHead(asked, answer(READ)),
    post: postByForm(about, query, answer(POSTED)),
    options: optionsOf(about, 'SummaryDescription'),
  }
}

const itemPath = (resource: Resource): Schema => {
  const { path, itemName, under } = resource
  const about = aboutOf(path, itemName, 'Item')
  return {
    parameters: [...(under ? [under.parent.key] : []), resource.key].map(inPath),
    ...getAndHead(
      { ...about, parameters: [...['format', `${resource.item}.fields`, LOCALE].map(parameter), ...READ_HEADERS] },
      success('The item.', [...READ, 'Content-Disposition'], content(resource, 'item')),
    ),
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
