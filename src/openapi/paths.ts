import type { Schema } from '../filters/lookups.ts'
import { ADDRESS, record, ref } from '../model/schema.ts'
import type { Summarised } from '../request/summary.ts'
import type { Resource } from '../resource.ts'
import { document, json, READ, success } from './answers.ts'
import { itemParameters, type Query, queryOf, references, rootParameters, summaryQueryOf } from './listParameters.ts'
import { AT_READING, get, getAndHead, type OperationOutline } from './operations.ts'
import { inPath } from './parameters.ts'
import { content } from './schemas.ts'
import { changesAt, LISTED, PAGE, postByForm, postOf, removeManyOf } from './writing.ts'

/** Describes the address of a list. */
export const listPath = (resource: Resource): Schema => {
  const { path, name, under } = resource
  const about = aboutOf(path, name)
  const query = queryOf(resource)
  const answer = success(PAGE, [...READ, ...LISTED, 'X-Total-Count'], content(resource, 'list'))
  return {
    ...(under && { parameters: [inPath(under.parent.key)] }),
    ...getAndHead(queried(resource, query, 'List'), `${about.operationId}Head`, answer),
    post: postOf(about, query, resource),
    ...removeManyOf(about, query, resource),
    options: optionsOf(about, 'ListDescription', under !== undefined),
  }
}

/** Describes the address of a summary. */
export const summaryPath = (summarised: Summarised): Schema => {
  const about = aboutOf(summarised.path, summarised.name)
  const query = summaryQueryOf(summarised)
  const [says, body] = ['The summary.', document(ref('Summary'))]
  return {
    ...getAndHead(queried(summarised, query), `${about.operationId}Head`, success(says, READ, body)),
    post: postByForm(about, query, success(says, ['Allow', 'Cache-Control'], body)),
    options: optionsOf(about, 'SummaryDescription'),
  }
}

/** Describes the query at an address with filters. */
const queried = (
  { path, name, description }: Pick<Resource, 'path' | 'name' | 'description'>,
  query: Query,
  kind = '',
): OperationOutline => ({ ...aboutOf(path, name, kind), description, parameters: references(query) })

/** Describes the address of the items of a list. */
export const itemPath = (resource: Resource): Schema => {
  const { path, itemName, under } = resource
  const about = aboutOf(path, itemName, 'Item')
  return {
    parameters: [...(under ? [under.parent.key] : []), resource.key].map(inPath),
    ...getAndHead(
      { ...about, parameters: itemParameters() },
      `${about.operationId}Head`,
      success('The item.', [...READ, 'Content-Disposition'], content(resource, 'item')),
    ),
    ...changesAt(about, resource),
    options: optionsOf(about, 'Description', true),
  }
}

/** Describes an address above the lists. */
export const rootPath = (path: string, entries: Readonly<Record<string, string>>): Schema => {
  const id = path === '/' ? 'root' : `${idOf(path)}Root`
  const about = { tags: ['roots'], operationId: id, summary: path }
  const addresses = record(Object.fromEntries(Object.keys(entries).map((name) => [name, ADDRESS])))
  return {
    ...getAndHead(
      { ...about, summary: `The addresses below ${path}`, parameters: rootParameters() },
      `${id}Head`,
      success('The name and the address of each.', ['Allow', 'Link'], document(addresses)),
      AT_READING,
    ),
    options: optionsOf(about, 'Description'),
  }
}

/** Describes an address that reports the health of the service. */
export const healthPath = (name: string, says: string, schema: string, ...statuses: number[]): Schema =>
  getAndHead(
    { tags: ['health'], operationId: name, summary: says },
    `${name}Head`,
    success(says, ['Cache-Control'], json(ref(schema))),
    [429, ...statuses],
  )

/** Returns the group of a path, such as `v3 events`. It has a list, its items and its summary. */
export const tagOf = (path: string): string => path.split('/').slice(2, 4).join(' ')

/** Returns the operation id of a path: `v3Events` for `/api/v3/events/`. */
const idOf = (path: string): string =>
  path
    .split('/')
    .slice(2, -1)
    .filter((part) => !part.startsWith(':'))
    .join(' ')
    .replace(/ (.)/g, (_, letter: string) => letter.toUpperCase())

const aboutOf = (path: string, summary: string, kind = ''): OperationOutline => ({
  tags: [tagOf(path)],
  operationId: `${idOf(path)}${kind}`,
  summary,
})

/** Describes OPTIONS. `isNamed`: a part of the address names an item. */
const optionsOf = ({ tags, operationId, summary }: OperationOutline, schema: string, isNamed = false): Schema =>
  get(
    { tags, operationId: `${operationId}Describe`, summary: `Description of ${summary}` },
    success('The formats and parameters of the address.', ['Allow'], document(ref(schema))),
    [401, ...(isNamed ? [404] : []), 406, 429],
  )
