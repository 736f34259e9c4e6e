import { tallyStatements } from '../../schema/tally.ts'
import { fold } from '../filters/fold.ts'
import { cellOf } from '../geometry/cell.ts'
import type { Statement } from '../page/database.ts'
import { emptyBatch, put, RAISE_REVISION, statements } from './batch.ts'
import { GROW, RENEW, SHRINK } from './derived.ts'
import type { EventRecord } from './records.ts'
import { guard, statement, touchSeries } from './statement.ts'
import type { Writer } from './writable.ts'

/** What is changed of an event; what is left out stays. */
export type EventChanges = Partial<Omit<EventRecord, 'kind' | 'id'>>

/** Stores new events. */
export const addEvents = (events: readonly EventRecord[], { now }: Writer): Statement[] => {
  const batch = emptyBatch()
  for (const event of events) put(batch, event)
  return [...statements(batch), touchSeries([...new Set(events.map(({ series }) => series))], now)]
}

/** Changes an event of a series. The batch fails where the event is gone, or would end before it starts. */
export const changeEvent = (id: number, series: number, changes: EventChanges, { now }: Writer): Statement[] => {
  const ids = JSON.stringify([id])
  const touched = [...new Set([series, changes.series ?? series])]
  // What a series shows only depends on these.
  const moved = ['series', 'start', 'end', 'coordinates'].some((name) => name in changes)
  return [
    isOf(id, series),
    ...(moved ? [statement(SHRINK, ids)] : []),
    ...tallyStatements(-1).map((sql) => statement(sql, ids)),
    ...textsOf(changes),
    updateOf(id, changes),
    guard('(SELECT start <= "end" FROM event WHERE id = CAST(? AS INTEGER))', String(id)),
    ...(moved ? [statement(RENEW, JSON.stringify(touched)), statement(GROW, ids)] : []),
    ...tallyStatements(1).map((sql) => statement(sql, ids)),
    touchSeries(touched, now),
    RAISE_REVISION,
  ]
}

/** Deletes an event of a series. The batch fails where it is gone. */
export const removeEvent = (id: number, series: number, { now }: Writer): Statement[] => {
  const ids = JSON.stringify([id])
  return [
    isOf(id, series),
    statement(SHRINK, ids),
    ...tallyStatements(-1).map((sql) => statement(sql, ids)),
    statement('DELETE FROM event WHERE id = CAST(? AS INTEGER)', String(id)),
    statement(RENEW, JSON.stringify([series])),
    touchSeries([series], now),
    RAISE_REVISION,
  ]
}

/** Fails a batch unless an event is of a series: what is done to the one depends on the other. */
const isOf = (id: number, series: number): Statement =>
  guard(
    'EXISTS (SELECT 1 FROM event WHERE id = CAST(?1 AS INTEGER) AND event_series_id = CAST(?2 AS INTEGER))',
    String(id),
    String(series),
  )

/** The texts of a change that events refer to, added where they are new. */
const textsOf = ({ category, object }: EventChanges): Statement[] => {
  const texts = [
    ['category', category],
    ['object_model', object?.model],
  ] as const
  return texts.flatMap(([table, text]) =>
    text === undefined
      ? []
      : [
          statement(
            `INSERT INTO ${table} (text, folded) VALUES (?1, ?2) ON CONFLICT (text) DO NOTHING`,
            text,
            fold(text),
          ),
        ],
  )
}

/** What each member of a change sets, from the JSON of the columns below. */
const ASSIGNMENTS: Readonly<Record<keyof EventChanges, string>> = {
  series: "event_series_id = ?1 ->> 'series'",
  category: "category_id = (SELECT id FROM category WHERE text = ?1 ->> 'category')",
  value: "value = ?1 ->> 'value'",
  start: "start = ?1 ->> 'start'",
  end: `"end" = ?1 ->> 'end'`,
  coordinates:
    "x = ?1 ->> '$.coordinates[0]', y = ?1 ->> '$.coordinates[1]', z = ?1 ->> '$.coordinates[2]', cell = ?1 ->> 'cell'",
  object:
    "object_model_id = (SELECT id FROM object_model WHERE text = ?1 ->> '$.object.model'), object_id = ?1 ->> '$.object.id'",
}

const updateOf = (id: number, changes: EventChanges): Statement => {
  const [x, y] = changes.coordinates ?? []
  const cell = x === undefined || y === undefined ? null : cellOf(x, y)
  const set = (Object.keys(ASSIGNMENTS) as (keyof EventChanges)[]).filter((name) => name in changes)
  return statement(
    `UPDATE event SET ${set.map((name) => ASSIGNMENTS[name]).join(', ')} WHERE id = CAST(?2 AS INTEGER)`,
    JSON.stringify({ ...changes, cell }),
    String(id),
  )
}
