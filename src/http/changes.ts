import { ValueError } from '../base/errors.ts'
import { UUID_LENGTH } from '../base/schema.ts'
import type { Change, Changes, Followed } from '../engine/engine.ts'
import { readMark } from '../engine/mark.ts'
import { namesIn } from '../filters/lookups.ts'
import { uuidPrefix } from '../filters/references.ts'
import { isItems } from '../formats/formats.ts'
import { itemWriter, shownIn } from '../formats/shown.ts'
import { allEventsV4 } from '../lists/event.ts'
import { MAX_PAGE_SIZE, type Resource } from '../lists/resource.ts'
import { eventSeriesV4, seriesMetadata } from '../lists/series.ts'
import { observationTypesV4 } from '../lists/type.ts'
import type { Links } from '../model/kinds.ts'
import type { Answer } from './cache.ts'
import { CHANGES_OFFER, formatsOf } from './offer.ts'
import { describe } from './options.ts'
import { read, wholeNumberIn } from './parameters.ts'
import { formatQuery } from './query.ts'
import { type Query, readQuery } from './read.ts'
import { answerDocument, respond } from './respond.ts'
import { callerAt, type RequestContext } from './route.ts'

/** The address of the changes since a mark. A copy stays right with them. */
export const CHANGES = {
  path: '/api/v4/changes/',
  name: 'Changes',
  description: 'The changes of events, series and observation types after a mark.',
}

/** The parameters of the address. A follower tests the filters of its own, since events may leave them. */
const PARAMETERS = ['after', 'event_series', 'format', 'limit'] as const
export type ChangesParameter = (typeof PARAMETERS)[number]

export const DEFAULT_LIMIT = 1000

/** Serves the changes after a mark. */
export const serveChanges = async (c: RequestContext): Promise<Response> => {
  const { name, description } = CHANGES
  const about = describe(name, description, formatsOf(CHANGES_OFFER))
  const described = { ...about, parameters: PARAMETERS }
  const page = { title: name, about: () => described }
  const query = readQuery(c, await callerAt(c), { names: PARAMETERS }, CHANGES_OFFER, page)
  if (c.req.method === 'OPTIONS') return answerDocument(c, query, described)
  const followed: Followed = {
    after: read(query.values, 'after', readMark, null),
    limit: read(query.values, 'limit', wholeNumberIn(1, MAX_PAGE_SIZE), DEFAULT_LIMIT),
    series: read(query.values, 'event_series', uuidsIn, null),
    fields: FIELDS,
  }
  const rules = { exists: true, cost: 'whole', newest: true } as const
  return respond(c, query, async (reader) => answerOf(query, await reader.changes(followed)), rules)
}

const uuidsIn = (text: string): readonly string[] =>
  namesIn(text).map((name) => {
    const uuid = uuidPrefix(name)
    if (uuid?.length === UUID_LENGTH) return uuid
    throw new ValueError('Enter whole uuids of series, separated by commas.')
  })

const FIELDS: Followed['fields'] = {
  events: allEventsV4.view.reads,
  series: [...new Set([...eventSeriesV4.view.reads, ...seriesMetadata.view.reads])],
  types: observationTypesV4.view.reads,
}

const writerOf = ({ view, place }: Pick<Resource, 'view' | 'place'>) => itemWriter(shownIn(view, place))

const [writeEvent, writeSeries] = [writerOf(allEventsV4), writerOf(eventSeriesV4)]
const [writeMetadata, writeType] = [writerOf(seriesMetadata), writerOf(observationTypesV4)]

/** Writes a change for the member `changes`. */
const written = (change: Change, links: Links): object => {
  switch (change.kind) {
    case 'event':
      return { kind: 'event', event: writeEvent(change.row, links) }
    case 'gone':
      return { kind: 'gone', id: change.id, event_series: change.series, external_id: change.externalId }
    case 'type':
      return { kind: 'type', id: change.row.id, observation_type: writeType(change.row, links) }
    case 'dropped':
      return { kind: 'series', id: change.id, event_series: change.series, visible: false }
    case 'series': {
      const { row, reread } = change
      const series = writeSeries(row, links)
      return { kind: 'series', id: row.id, series, metadata: writeMetadata(row, links), reread }
    }
  }
}

const answerOf = (query: Query, { mark, more, changes }: Changes): Answer => {
  const { address, linked, links, format } = query
  const others = linked.filter(({ name }) => name !== 'after')
  const next = `${address}${formatQuery([...others, { name: 'after', value: mark }])}`
  const headers = more ? { Link: `<${next}>; rel="next"` } : {}
  const each = changes.map((change) => written(change, links))
  if (!isItems(format)) return { headers, body: { mark, more, changes: each } }
  const lines = [...each, { mark, more }].map((line) => `${JSON.stringify(line)}\n`)
  return { headers, body: lines.join('') }
}
