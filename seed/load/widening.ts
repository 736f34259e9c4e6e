import { type TypedPart, widenedType } from '../../src/model/metadata.ts'
import type { SeriesRecord } from '../../src/store/records.ts'
import type { FileEvent } from '../read/event.ts'
import { counted } from '../read/statistics.ts'
import { oneLine } from './error.ts'

interface Widened {
  readonly from: string
  to: string
  count: number
  readonly example: string
}

const MAX_SHOWN = 40 // characters of a value

/** Finds the columns of stored series whose type a load makes wider, for every reader. */
export class Widening {
  readonly #series: ReadonlyMap<number, SeriesRecord>
  readonly #found = new Map<string, Widened>()

  constructor(series: readonly SeriesRecord[]) {
    this.#series = new Map(series.map((each) => [each.id, each]))
  }

  /** Compares an event that will be stored with the description of its series. */
  add(event: FileEvent, place: () => string): void {
    for (const field of this.#series.get(event.series)?.metadata?.fields ?? []) {
      const to = widenedType(field, event)
      if (to === field.type) continue
      const key = `${event.series} ${field.name}`
      const found = this.#found.get(key) ?? {
        from: field.type,
        to,
        count: 0,
        example: exampleOf(field.name, event, place),
      }
      this.#found.set(key, found)
      found.count += 1
      if (to === 'string') found.to = to
    }
  }

  /** True: numbers or other values become texts. An integer that becomes a number changes no filter. */
  get isText(): boolean {
    return [...this.#found.values()].some(({ to }) => to === 'string')
  }

  lines(): string[] {
    return Array.from(this.#found, ([key, { from, to, count, example }]) => {
      const name = oneLine(key.slice(key.indexOf(' ') + 1))
      return `The type of ${name} changes from ${from} to ${to} for every reader: ${counted(count, 'value')}, the first is ${example}`
    })
  }
}

function exampleOf(name: string, { value, attributes }: TypedPart, place: () => string): string {
  const shown = JSON.stringify(name === 'value' ? value : attributes?.[name.replace('attributes__', '')]) ?? ''
  return `${shown.length > MAX_SHOWN ? `${shown.slice(0, MAX_SHOWN)}...` : shown} at ${place()}`
}
