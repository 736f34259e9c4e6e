import { fold } from '../filters/fold.ts'
import { cellOf } from '../geometry/cell.ts'
import type { EventRecord, ObservationTypeRecord, SeriesRecord } from './records.ts'

/** The columns of an observation type, in the order in which they are inserted. */
export const observationTypeColumns = ({ id, code, name, unit }: ObservationTypeRecord) => [id, code, name, unit]

/** Those of a series. */
export const seriesColumns = (series: SeriesRecord) => [
  series.id,
  series.uuid,
  series.name,
  fold(series.name),
  series.description,
  series.observation_type,
  series.statistic,
  series.color,
  series.access_modifier,
  series.created,
  series.last_modified,
]

/** Those of an event, its category and model as their texts. */
export const eventColumns = ({ coordinates, object, ...event }: EventRecord): unknown[] => {
  const { id, series, category, value, start, end, external_id = null } = event
  const [x, y, z] = coordinates ?? [null, null, null]
  const placed = [x, y, z, coordinates && cellOf(coordinates[0], coordinates[1])]
  return [id, series, category, value, start, end, ...placed, object?.model ?? null, object?.id ?? null, external_id]
}
