import { ValueError } from '../../src/errors.ts'
import { MAX_LINE, parseRecord } from '../../src/store/records.ts'
import type { ReadOptions } from './bytes.ts'
import { featuresOf } from './collection.ts'
import { rowReader, rowsOf } from './csv.ts'
import type { DraftRecord } from './event.ts'
import { type FeatureOptions, featureReader, objectReader, type Unread } from './feature.ts'
import type { Recognised } from './format.ts'
import { linesOf } from './lines.ts'

/** What stands at one place of a file: a record, or why it is none. The number counts lines or features, from 1. */
export type Item = { readonly number: number } & ({ readonly record: DraftRecord } | { readonly fault: string })

/** A file with what is known of it before it is read. */
export interface Source extends Recognised {
  readonly file: string
  readonly options: FeatureOptions
  /** The encoding of its text. Absent: UTF-8. */
  readonly encoding?: string | undefined
  /** Members and columns that are no field of an event, as they are met. */
  readonly unread: Unread
}

const RECORD_SEPARATOR = 0x1e
const TOO_LONG = `the line has more than ${MAX_LINE} characters: shorten its texts`

/** Where in a file a number is, such as `events.ndjson, line 7`; before the first separator of a sequence there is none. */
export function placeOf({ file, format }: Source, number: number): string {
  if (format === 'geojson') return `${file}, feature ${number}`
  return format === 'geojsonseq' ? `${file}, feature ${number - 1}` : `${file}, line ${number}`
}

/** Everything in a file, in its order. Throws LoadError for a file that cannot be read to its end. */
export async function* itemsOf(source: Source, onBytes?: ReadOptions['onBytes']): AsyncGenerator<Item> {
  const { file, format, options, unread, encoding } = source
  const reading = { onBytes, encoding }
  const feature = featureReader(options, unread)
  const object = objectReader(options, unread)
  if (format === 'csv') yield* rowItems(source, reading)
  else if (format === 'ndjson') yield* textItems(linesOf(file, reading), parseRecord)
  else if (format === 'objects') yield* textItems(linesOf(file, reading), (text) => object(JSON.parse(text)))
  else if (format === 'geojson')
    yield* textItems(featuresOf(file, options.crs !== undefined, reading), (text) => feature(JSON.parse(text)))
  else {
    const texts = linesOf(file, reading, format === 'geojsonseq' ? RECORD_SEPARATOR : undefined)
    yield* textItems(texts, (text) => feature(JSON.parse(text)))
  }
}

type Text = { readonly number: number; readonly text: string; readonly fault?: string }

async function* textItems(texts: AsyncIterable<Text>, parse: (text: string) => DraftRecord): AsyncGenerator<Item> {
  for await (const { number, text, fault } of texts) {
    if (fault !== undefined) yield { number, fault }
    else if (text.length > MAX_LINE) yield { number, fault: TOO_LONG }
    else if (text.trim() !== '') yield itemOf(number, text, parse)
  }
}

async function* rowItems({ file, head, options, unread }: Source, reading: ReadOptions): AsyncGenerator<Item> {
  let read: ReturnType<typeof rowReader> | undefined
  for await (const { number, cells } of rowsOf(file, head, reading)) {
    if (read === undefined) read = rowReader(file, head, cells, options, unread)
    else yield itemOf(number, cells, read)
  }
}

function itemOf<T>(number: number, source: T, parse: (source: T) => DraftRecord): Item {
  try {
    return { number, record: parse(source) }
  } catch (error) {
    if (error instanceof ValueError) return { number, fault: error.message }
    if (error instanceof SyntaxError)
      return { number, fault: 'not JSON: put one whole object, such as {"type": "Feature", ...}' }
    throw error
  }
}
