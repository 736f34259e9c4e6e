import { FILES } from '../downloads.ts'
import type { Schema } from '../filters/lookups.ts'
import { ADDRESS, record, ref } from '../model/schema.ts'
import { fileParametersOf, LOCALE } from '../request/page.ts'
import { FORM } from '../request/route.ts'
import type { Summarised } from '../request/summary.ts'
import { isWritable, type Resource } from '../resource.ts'
import { AT_READING, document, getAndHead, json, READ, success } from './operations.ts'
import { DOCUMENT_FORMAT, inPath, parameter, queryOf, summaryQueryOf } from './parameters.ts'
import {
  aboutOf,
  content,
  idOf,
  LISTED,
  optionsOf,
  PAGE,
  POSTED,
  postByForm,
  queried,
  READ_HEADERS,
  references,
} from './queries.ts'
import { itemsContent, OBJECT } from './schemas.ts'
import { changesAt, postOf, removeManyOf } from './writing.ts'

export const listPath = (resource: Resource): Schema => {
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
export const filesPath = (resource: Resource): Schema => {
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

export const summaryPath = (summarised: Summarised): Schema => {
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

export const itemPath = (resource: Resource): Schema => {
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

export const rootPath = (path: string, entries: Readonly<Record<string, string>>): Schema => {
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

export const healthPath = (name: string, says: string, schema: string, ...statuses: number[]): Schema =>
  getAndHead(
    { tags: ['health'], operationId: name, summary: says },
    success(says, ['Cache-Control'], json(ref(schema))),
    [429, ...statuses],
  )
