import { type Described, INTEGER, listOf, orNull, record, ref, type Schema, STRING, UUID } from '../base/schema.ts'
import { DOWNLOADS, mediaType } from '../formats/downloads.ts'
import { CHANGES, type ChangesParameter, DEFAULT_LIMIT } from '../http/changes.ts'
import { CHANGES_OFFER } from '../http/offer.ts'
import { allEventsV4 } from '../lists/event.ts'
import { MAX_PAGE_SIZE } from '../lists/resource.ts'
import { eventSeriesV4, seriesMetadata } from '../lists/series.ts'
import { observationTypesV4 } from '../lists/type.ts'
import { get, headOf, optionsOf, type PathItem, READ, success } from './operations.ts'
import { formatOf, inQuery } from './parameters.ts'
import { document, json } from './schemas.ts'

const PARAMETERS: Readonly<Record<ChangesParameter, Described>> = {
  after: {
    description: 'The mark of an earlier answer. Without it, the answer has the mark of now, and no changes.',
    schema: STRING,
  },
  event_series: { description: 'The whole uuids of the only series to follow.', schema: listOf(UUID) },
  format: formatOf(CHANGES_OFFER, 'json'),
  limit: {
    description: 'The most changes of an answer. It has fewer if they have much text.',
    schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE, default: DEFAULT_LIMIT },
  },
}

const kind = (name: string): Schema => ({ const: name })

/** The schemas of the answers. */
export const CHANGES_SCHEMAS: Readonly<Record<string, Schema>> = {
  Change: {
    anyOf: [
      record({ kind: kind('event'), event: ref(allEventsV4.view.name) }),
      record(
        { kind: kind('gone'), id: INTEGER, event_series: orNull(UUID), external_id: orNull(STRING) },
        { description: 'A deleted event, or one in a series that is not followed.' },
      ),
      record({
        ...{ kind: kind('series'), id: INTEGER, series: ref(eventSeriesV4.view.name) },
        metadata: ref(seriesMetadata.view.name),
        reread: {
          type: 'boolean',
          description: 'True: drop its events, and read them again.',
        },
      }),
      record(
        { kind: kind('series'), id: INTEGER, event_series: UUID, visible: { const: false } },
        { description: 'Drop the series with its events.' },
      ),
      record({ kind: kind('type'), id: INTEGER, observation_type: ref(observationTypesV4.view.name) }),
    ],
  },
  Changes: record({
    mark: { type: 'string', description: 'The value of `after` for the next request.' },
    more: { type: 'boolean', description: 'True if more changes follow at once.' },
    changes: listOf(ref('Change')),
  }),
  ChangeLines: { type: 'string', description: 'Each line is a Change. The last one has the mark, and `more`.' },
}

/** Describes the address of the changes. */
export const changesPath = (): PathItem => {
  const { path, name, description } = CHANGES
  const lines = json(ref('ChangeLines'), mediaType(DOWNLOADS.ndjson.contentType))
  const about = { tags: ['changes'], operationId: 'v4Changes', summary: name }
  const parameters = Object.entries(PARAMETERS).map(([name, described]) => inQuery(name, described))
  const answer = success('The changes.', [...READ, 'Link'], { ...document(ref('Changes')), ...lines })
  const errors = [304, 400, 401, 403, 406, 410, 412, 414, 429, 500, 503]
  const reads = get({ ...about, description, parameters: [...parameters, 'If-None-Match'] }, answer, errors)
  return [path, { get: reads, head: headOf(reads), options: optionsOf(about, 'Description') }]
}
