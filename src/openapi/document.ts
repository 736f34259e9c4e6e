import { ADDRESS, INTEGER, record, ref, type Schema } from '../base/schema.ts'
import type { Engine } from '../engine/engine.ts'
import { DOWNLOADS, filePath, mediaType } from '../formats/downloads.ts'
import { fileParametersOf } from '../http/page.ts'
import { MERGE_PATCH } from '../http/route.ts'
import { SUMMARY, SUMMARY_SCHEMAS } from '../http/summary.ts'
import { isWritable, offeredBy, type Resource, type WritableResource } from '../lists/resource.ts'
import { METADATA_PATH, seriesMetadata } from '../lists/series.ts'
import { LISTS, ROOTS } from '../lists/versions.ts'
import { CHANGES_SCHEMAS, changesPath } from './changes.ts'
import {
  AT_READING,
  addTo,
  changesOf,
  creationOf,
  documentOf,
  get,
  headOf,
  optionsOf,
  type PathItem,
  postOf,
  READ,
  type Success,
  success,
  WRITTEN,
  type Writing,
  write,
} from './operations.ts'
import {
  type DescribedQuery,
  DOCUMENT_FORMAT,
  describedQuery,
  EXTENSION,
  formOf,
  inPath,
  parameterComponents,
  summaryQuery,
  valueSchemas,
} from './parameters.ts'
import {
  ANSWER_SCHEMAS,
  ANY_OBJECT,
  bodyNames,
  bodyReferences,
  bodySchemas,
  contentOf,
  contentSchemas,
  document,
  itemsContent,
  json,
} from './schemas.ts'

const POSTED = ['Allow', 'Cache-Control']
const READ_HEADERS = ['If-Match', 'If-None-Match', 'If-Modified-Since', 'X-D1-Bookmark']

/** Returns the group of a path, such as `v3 events`. It has a list, its items and its summary. */
const tagOf = (path: string): string => path.split('/').slice(2, 4).join(' ')

/** Returns the operation id of a path: `v3Events` for `/api/v3/events/`. */
const idOf = (path: string): string =>
  path
    .split('/')
    .slice(2, -1)
    .filter((part) => !part.startsWith(':'))
    .join(' ')
    .replace(/ (.)/g, (_, letter: string) => letter.toUpperCase())

const aboutOf = (path: string, summary: string, kind = '') => ({
  tags: [tagOf(path)],
  operationId: `${idOf(path)}${kind}`,
  summary,
})

/** Describes the answer with a page of a list, or with the whole list. */
const pageWith = (headers: readonly string[], content: Schema, total = ['X-Total-Count']): Success =>
  success('A page, or the whole list.', [...headers, 'Content-Disposition', 'Link', ...total], content)

const keysOf = (query: DescribedQuery): string[] => query.map(({ key }) => key)

/** Describes the methods of an address. OPTIONS has the schema `schema`. `isNamed`: a part of the address names an item. */
const methodsOf = (reads: ReturnType<typeof get>, more: Schema | false, schema: string, isNamed = false): Schema => ({
  get: reads,
  head: headOf(reads),
  ...more,
  options: optionsOf(reads, schema, isNamed),
})

/** Describes how clients write a list and its items. `id` begins the ids of the operations of an item. */
const writingOf = (
  { path, view, itemName, key, writable }: WritableResource,
  id = `${idOf(path)}Item`,
  format = 'format',
): Writing => ({
  writable,
  tags: [tagOf(path)],
  ids: { post: `${idOf(path)}Post`, put: `${id}Replace`, patch: `${id}Change`, delete: `${id}Delete` },
  itemName,
  parameters: { list: [format], item: [...(key.toWrite ? [`written.${key.name}`] : []), format], body: [] },
  typesOf: (method) => (method === 'PATCH' ? [...writable.types, MERGE_PATCH] : writable.types),
  changed: document(ref(view.name)),
})

/** Describes POST of a query by a form, and of new items. */
const postItems = (form: ReturnType<typeof postOf>, resource: WritableResource): Schema => {
  const { view, writable } = resource
  const { ids } = bodyReferences(writable)
  // The service answers with items, which have no total, if all of them are stored already.
  const stored = writable.keyed
    ? pageWith(POSTED, contentOf(resource, 'list', ref(view.name), ids), [])
    : form.responses[200]
  // An item that makes a column wider has the member `widened`, too.
  const made = document({ anyOf: [ref(view.name), ids, ref('Gone'), { ...ANY_OBJECT, required: ['widened'] }] })
  const create = creationOf(writingOf(resource), `${form.summary}, or new items`, stored, made)
  return addTo(form, create, ' An item with the id, url or code of a stored item is a 409.')
}

/** Describes how to delete the matching items of a list. The result is empty for a list that forbids it. */
const removalOfMany = ({ path, name, filters, writable }: WritableResource, query: DescribedQuery): Schema => {
  if (writable.removeMany === undefined) return {}
  const all = {
    name: 'all',
    in: 'query',
    description: 'Deletes all items. It is required if there is no filter.',
    schema: { const: true },
  }
  const own = query.filter((each) => filters.has(each.name))
  const about = {
    ...aboutOf(path, `Delete from ${name}`, 'Empty'),
    description:
      'Deletes the items that match the filters. If that takes too long, the answer is a 503. Then send the same request again to delete the rest.',
    parameters: ['format', 'If-Match', all, ...keysOf(own)],
  }
  const answer = success('The number of deleted items.', WRITTEN, document(record({ deleted: INTEGER })))
  return { delete: write(about, { 200: answer }, [412]) }
}

/** Describes the address of a list, the addresses that end with a format, and the address of an item. */
const listPaths = (resource: Resource): PathItem[] => {
  const { name, itemName, description, under, key, view } = resource
  const path = resource.path.replace(/:(\w+)/g, '{$1}')
  const owner = under ? [inPath(under.parent.key)] : []
  const query = describedQuery(resource)
  const content = contentOf(resource, 'list')
  const about = { ...aboutOf(resource.path, name, 'List'), description }
  const list = get({ ...about, parameters: [...keysOf(query), ...READ_HEADERS] }, pageWith(READ, content))
  const form = postOf(aboutOf(resource.path, name, 'List'), pageWith(POSTED, content), formOf(query))
  const writes = isWritable(resource) && { post: postItems(form, resource), ...removalOfMany(resource, query) }

  const [ofFiles, files] = [describedQuery(resource, fileParametersOf(resource)), itemsContent(resource, 'list')]
  const aboutFiles = aboutOf(resource.path, `${name} as a file`, 'File')
  const file = get({ ...aboutFiles, parameters: [...keysOf(ofFiles), ...READ_HEADERS] }, pageWith(READ, files))
  // The form of the list has the schema of each parameter.
  const post = postOf(aboutFiles, pageWith(POSTED, files), { schema: ANY_OBJECT })

  const parameters = ['format', `${view.name}.fields`, 'locale', ...READ_HEADERS]
  const answer = success('The item.', [...READ, 'Content-Disposition'], contentOf(resource, 'item'))
  const item = get({ ...aboutOf(resource.path, itemName, 'Item'), parameters }, answer)
  const changes = isWritable(resource) && changesOf(writingOf(resource))
  const ofOwner = under && { parameters: owner }
  const ofFile = { parameters: [...owner, EXTENSION] }
  const ofItem = { parameters: [...owner, inPath(key)] }
  return [
    [path, { ...ofOwner, ...methodsOf(list, { post: form, ...writes }, 'ListDescription', under !== undefined) }],
    [filePath(path, '{extension}'), { ...ofFile, ...methodsOf(file, { post }, 'ListDescription', true) }],
    [`${path}{${key.name}}/`, { ...ofItem, ...methodsOf(item, changes, 'Description', true) }],
  ]
}

/** Describes the address of the description of a series. */
const metadataPath = (takesWrites: boolean): PathItem => {
  const { key, view, itemName, description } = seriesMetadata
  const about = { ...aboutOf(METADATA_PATH, itemName), description }
  const answer = success('The description.', READ, document(ref(view.name)))
  const reads = get({ ...about, parameters: [DOCUMENT_FORMAT, ...READ_HEADERS] }, answer)
  const changes = takesWrites && changesOf(writingOf(seriesMetadata, about.operationId, DOCUMENT_FORMAT))
  const path = METADATA_PATH.replace(':key', `{${key.name}}`)
  return [path, { parameters: [inPath(key)], ...methodsOf(reads, changes, 'Description', true) }]
}

/** Returns the schemas of the description of a series, and of the body that changes it. */
const metadataSchemas = (): Schema => {
  const { view, writable } = seriesMetadata
  const { made } = bodyNames(writable)
  return { [view.name]: view.schema, [made]: bodySchemas(writable)[made] }
}

/** Describes the addresses of the summary of events, and of its table. */
const summaryPaths = (): PathItem[] => {
  const { path, name, description } = SUMMARY
  const query = summaryQuery()
  const table = json(ref('SummaryCsv'), mediaType(DOWNLOADS.csv.contentType))
  const content = { ...document(ref('Summary')), ...table }
  const ofTables = ['Content-Disposition', 'Link']
  const about = { ...aboutOf(path, name), description, parameters: [...keysOf(query), ...READ_HEADERS] }
  const reads = get(about, success('The summary.', [...READ, ...ofTables], content))
  const post = postOf(aboutOf(path, name), success('The summary.', [...POSTED, ...ofTables], content), formOf(query))
  const keys = keysOf(query.filter((each) => each.name !== 'format' && each.name !== 'locale'))
  const aboutFile = { ...aboutOf(path, `${name} as a file`, 'File'), parameters: [...keys, ...READ_HEADERS] }
  const file = get(aboutFile, success('The table.', [...READ, ...ofTables, 'X-Total-Count'], table))
  return [
    [path, methodsOf(reads, { post }, 'SummaryDescription')],
    [filePath(path, 'csv'), methodsOf(file, false, 'SummaryDescription')],
  ]
}

const rootPath = (path: string, entries: Readonly<Record<string, string>>): PathItem => {
  const about = { tags: ['roots'], operationId: path === '/' ? 'root' : `${idOf(path)}Root`, summary: path }
  const addresses = record(Object.fromEntries(Object.keys(entries).map((name) => [name, ADDRESS])))
  const reads = get(
    { ...about, summary: `The addresses below ${path}`, parameters: [DOCUMENT_FORMAT] },
    success('The name and the address of each.', ['Allow', 'Link'], document(addresses)),
    AT_READING,
  )
  return [path, { get: reads, head: headOf(reads), options: optionsOf(about, 'Description') }]
}

const healthPath = (name: string, says: string, schema: string, ...statuses: number[]): PathItem => {
  const answer = success(says, ['Cache-Control'], json(ref(schema)))
  const reads = get({ tags: ['health'], operationId: name, summary: says }, answer, [429, ...statuses])
  return [`/${name}`, { get: reads, head: headOf(reads) }]
}

const descriptionOf = ({
  takesWrites,
}: Engine): string => `Geo-referenced, time-stamped events and the series that group them.

An item must match all filters. The service ignores a filter with an empty value. An unknown or repeated parameter is
a 400. Write lists with plain commas. In an address, write a plus as \`%2B\`.

${takesWrites ? 'Writing needs a key that may write. The service stores all items of a request, or none of them.' : 'The service only reads its database, so it takes no writes.'}

The service also offers OGC API - Features and Tiles. Its description in OpenAPI 3.0 is at /ogc/api.`

/** Describes the lists and everything else outside `/ogc`. All addresses begin with `base`. */
export const apiDocument = (base: string, engine: Engine): Schema => {
  const lists = LISTS.map((list) => offeredBy(engine, list))
  return documentOf(
    base,
    descriptionOf(engine),
    {
      tags: [
        ...lists.flatMap(({ path, description, under }) => (under ? [] : [{ name: tagOf(path), description }])),
        { name: 'changes', description: 'The changes after a mark, for copies.' },
        { name: 'roots', description: 'The addresses of the lists.' },
        { name: 'health', description: 'The state of the service.' },
      ],
      paths: Object.fromEntries([
        ...lists.flatMap(listPaths),
        metadataPath(engine.takesWrites),
        ...summaryPaths(),
        changesPath(),
        ...Object.entries(ROOTS).map(([path, entries]) => rootPath(path, entries)),
        healthPath('healthz', 'The Worker answers.', 'Health'),
        healthPath('readyz', 'The database answers, and all migrations have run.', 'Readiness', 401, 403, 503),
      ]),
      components: {
        schemas: Object.assign(
          {},
          ...lists.flatMap((resource) => [
            contentSchemas(resource),
            resource.writable && bodySchemas(resource.writable),
          ]),
          metadataSchemas(),
          valueSchemas(lists),
          ANSWER_SCHEMAS,
          SUMMARY_SCHEMAS,
          CHANGES_SCHEMAS,
        ),
        parameters: parameterComponents(lists),
      },
    },
    (status) => json(status === '400' ? { anyOf: [ref('Faults'), ref('Detail')] } : ref('Detail')),
  )
}
