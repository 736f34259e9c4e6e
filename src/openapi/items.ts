import { ref, type Schema } from '../base/schema.ts'
import { MERGE_PATCH } from '../http/route.ts'
import { isWritable, type Resource, type WritableResource } from '../lists/resource.ts'
import { METADATA_PATH, seriesMetadata } from '../lists/series.ts'
import type { Writable } from '../store/writable.ts'
import {
  bodiesOf,
  changesOf,
  document,
  getAndHead,
  type OperationOutline,
  optionsOf,
  READ,
  success,
} from './operations.ts'
import { DOCUMENT_FORMAT, inPath, parameter } from './parameters.ts'
import { bodyNames, bodySchemas, itemsContent, jsonSchemas } from './schemas.ts'

export const READ_HEADERS = ['If-Match', 'If-None-Match', 'If-Modified-Since', 'X-D1-Bookmark'].map(parameter)

/** Returns the group of a path, such as `v3 events`. It has a list, its items and its summary. */
export const tagOf = (path: string): string => path.split('/').slice(2, 4).join(' ')

/** Returns the operation id of a path: `v3Events` for `/api/v3/events/`. */
export const idOf = (path: string): string =>
  path
    .split('/')
    .slice(2, -1)
    .filter((part) => !part.startsWith(':'))
    .join(' ')
    .replace(/ (.)/g, (_, letter: string) => letter.toUpperCase())

export const aboutOf = (path: string, summary: string, kind = ''): OperationOutline => ({
  tags: [tagOf(path)],
  operationId: `${idOf(path)}${kind}`,
  summary,
})

/** Describes the body of a list or an item, in every format. */
export const contentOf = (resource: Resource, kind: 'list' | 'item'): Schema => ({
  ...document({ anyOf: jsonSchemas(resource, kind) }),
  ...itemsContent(resource, kind),
})

/** Returns true if some members are required. If none is, PUT and PATCH take the same bodies. */
const needsMembers = ({ fields }: Writable): boolean => Object.values(fields).some(({ required }) => required)

/** Describes how to change and delete the items of a list. The result is empty for a list with fixed items. */
const changesAt = ({ tags, operationId }: OperationOutline, resource: WritableResource, format = 'format'): Schema => {
  const { view, itemName, key, writable } = resource
  const { items, types, examples, removing } = writable
  if (items === undefined) return {}
  const { made, changes } = bodyNames(writable)
  return changesOf({
    tags,
    ids: {
      put: `${operationId}Replace`,
      patch: `${operationId}Change`,
      delete: items.remove ? `${operationId}Delete` : null,
    },
    itemName,
    parameters: [...(key.toWrite ? [`written.${key.name}`] : []), format].map(parameter),
    put: bodiesOf(types, ref(made), examples.made),
    patch: bodiesOf([...types, MERGE_PATCH], ref(needsMembers(writable) ? changes : made), examples.changed),
    changed: document(ref(view.name)),
    removing,
  })
}

/** Describes the address of an item. */
export const itemPath = (resource: Resource): Schema => {
  const { path, view, itemName } = resource
  const about = aboutOf(path, itemName, 'Item')
  const parameters = [...['format', `${view.name}.fields`, 'locale'].map(parameter), ...READ_HEADERS]
  const answer = success('The item.', [...READ, 'Content-Disposition'], contentOf(resource, 'item'))
  return {
    ...getAndHead({ ...about, parameters }, answer),
    ...(isWritable(resource) && changesAt(about, resource)),
    options: optionsOf(about, 'Description', true),
  }
}

/** Describes the address of the description of a series. */
export const metadataPath = (takesWrites: boolean): [path: string, operations: Schema] => {
  const { key, view, itemName, description } = seriesMetadata
  const about = { ...aboutOf(METADATA_PATH, itemName), description }
  const answer = success('The description.', READ, document(ref(view.name)))
  const reads = getAndHead({ ...about, parameters: [parameter(DOCUMENT_FORMAT), ...READ_HEADERS] }, answer)
  return [
    METADATA_PATH.replace(':key', `{${key.name}}`),
    {
      parameters: [inPath(key)],
      ...reads,
      ...(takesWrites && changesAt(about, seriesMetadata, DOCUMENT_FORMAT)),
      options: optionsOf(about, 'Description', true),
    },
  ]
}

/** Returns the schemas of the description of a series, and of the body that changes it. */
export const metadataSchemas = (): Schema => {
  const { view, writable } = seriesMetadata
  const { made } = bodyNames(writable)
  return { [view.name]: view.schema, [made]: bodySchemas(writable)[made] }
}
