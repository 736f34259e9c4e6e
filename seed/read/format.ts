import { isObject } from '../../src/model/kinds.ts'
import { FIELDS, MAX_LINE } from '../../src/store/records.ts'
import { LoadError } from '../load/error.ts'
import { headOf } from './bytes.ts'

/** The formats of files to load, with the name endings that identify them. */
const FORMATS = {
  ndjson: [],
  objects: [],
  geojson: [],
  geojsonl: ['.geojsonl', '.ndgeojson', '.geojsonld'],
  geojsonseq: ['.geojsons', '.geojsonseq'],
  csv: ['.csv', '.tsv'],
} as const satisfies Record<string, readonly string[]>

type FileFormat = keyof typeof FORMATS

const NAMES = Object.keys(FORMATS) as FileFormat[]
const RECORD_SEPARATOR = '\x1e'

/** A format and the start of the file's text. */
export interface Recognised {
  readonly format: FileFormat
  readonly head: string
}

/**
 * Returns the format of a file and the start of its text. `option` decides. Without it, the content decides, and then
 * the name of the file.
 */
export async function recognise(file: string, option?: string, encoding?: string): Promise<Recognised> {
  const head = await headOf(file, MAX_LINE, encoding)
  if (option === undefined) return { format: formatOf(file, head), head }
  const format = NAMES.find((name) => name === option)
  if (format === undefined) throw new LoadError(`--format is ${JSON.stringify(option)}: enter ${NAMES.join(', ')}`)
  return { format, head }
}

function formatOf(file: string, head: string): FileFormat {
  const name = file.toLowerCase().replace(/\.gz$/, '')
  const named = NAMES.find((format) => FORMATS[format].some((end) => name.endsWith(end)))
  if (head.startsWith(RECORD_SEPARATOR)) return 'geojsonseq'
  if (named === 'csv' || !head.trimStart().startsWith('{'))
    return named ?? (/\.(nd)?json|\.jsonl/.test(name) || head.trim() === '' ? 'ndjson' : 'csv')
  const first = firstObject(head)
  if (first !== null && typeof first.kind === 'string' && Object.hasOwn(FIELDS, first.kind)) return 'ndjson'
  if (first?.type === 'Feature') return 'geojsonl'
  if (first !== null && ('features' in first || 'results' in first)) return 'geojson'
  if (first !== null && !('type' in first) && named === undefined) return 'objects'
  return named ?? (/\.geojson$|\.json$/.test(name) || first === null ? cutOff(head) : 'objects')
}

/** Returns the format of a text that starts with an object of several lines, or with an object that is cut off. */
const cutOff = (head: string): FileFormat => (/^\s*\{\s*"kind"/.test(head) ? 'ndjson' : 'geojson')

export const firstLineOf = (text: string): string => text.slice(0, text.search(/\n|$/))

function firstObject(head: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(firstLineOf(head.trimStart()))
    return isObject(value) ? value : null
  } catch {
    return null
  }
}
