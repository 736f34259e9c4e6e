import type { EventRecord } from '../../src/store/records.ts'

/** What requests are drawn from: events by their place in a list, start and end in milliseconds since 1970. */
export interface Columns {
  readonly length: number
  readonly x: Float64Array
  readonly y: Float64Array
  readonly start: Float64Array
  readonly end: Float64Array
  /** Ids. */
  readonly series: Uint8Array
  /** Places in `categories`. */
  readonly category: Uint8Array
  readonly categories: readonly string[]
  /** Places in `models`, of which the first is none. */
  readonly model: Uint8Array
  readonly models: readonly string[]
  readonly objectId: Int32Array
}

/** The columns of so many events, each of which has a place. */
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

/** How many of them are such. */
export const countOf = ({ length }: Columns, holds: (i: number) => boolean): number => {
  let count = 0
  for (let i = 0; i < length; i++) if (holds(i)) count += 1
  return count
}
