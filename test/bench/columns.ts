import type { EventRecord } from '../records.ts'

/** The columns of a list of events. The requests are drawn from them. Start and end are milliseconds since 1970. */
export interface Columns {
  readonly length: number
  readonly x: Float64Array
  readonly y: Float64Array
  readonly start: Float64Array
  readonly end: Float64Array
  /** The ids of the series. */
  readonly series: Uint8Array
  /** Indexes in `categories`. */
  readonly category: Uint8Array
  readonly categories: readonly string[]
  /** Indexes in `models`. Index 0 means that the event has no object. */
  readonly model: Uint8Array
  readonly models: readonly string[]
  readonly objectId: Int32Array
}

/** Makes the columns of `length` events. Every event must have a position. */
export const columnsOf = (events: Iterable<EventRecord>, length: number): Columns => {
  const real = () => new Float64Array(length)
  const small = () => new Uint8Array(length)
  const [x, y, start, end, series, category, model] = [real(), real(), real(), real(), small(), small(), small()]
  const objectId = new Int32Array(length)
  const categories = new Map<string, number>()
  const models = new Map([['', 0]])
  let i = 0
  for (const event of events) {
    x[i] = event.coordinates?.[0] ?? Number.NaN
    y[i] = event.coordinates?.[1] ?? Number.NaN
    start[i] = event.start
    end[i] = event.end
    series[i] = event.series
    category[i] = numberOf(categories, event.category)
    model[i] = numberOf(models, event.object?.model ?? '')
    objectId[i] = event.object?.id ?? 0
    i += 1
  }
  const texts = { categories: [...categories.keys()], models: [...models.keys()] }
  return { length, x, y, start, end, series, category, model, objectId, ...texts }
}

const numberOf = (texts: Map<string, number>, text: string): number => {
  const known = texts.get(text)
  if (known !== undefined) return known
  texts.set(text, texts.size)
  return texts.size - 1
}
