import { parse } from 'csv-parse/browser/esm/sync'
import { FLAT, type Shape, shapeOfList } from './shapes.ts'

/** What is wrong with an answer that is written item by item; `item`: what each is to be. */
type Check = (text: string, item: Shape) => string[]

const ndjson: Check = (text, item) =>
  text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .flatMap((line, i) => item(jsonOf(line), `line ${i + 1}`))

const geojson: Check = (text, item) => {
  const body = jsonOf(text) as { type?: string; features?: unknown[] } | undefined
  if (body?.type !== 'FeatureCollection') return itemOf(body, item)
  const { features, ...head } = body
  const faults = shapeOfList(head, 'collection')
  return [...faults, ...(features ?? []).flatMap((feature) => itemOf(feature, item))]
}

/** What a feature is made of: itself, or its properties. */
const itemOf = (feature: unknown, item: Shape): string[] => {
  const { type, properties } = (feature ?? {}) as { type?: string; properties?: unknown }
  const flat = FLAT.get(item)
  if (flat !== undefined && type === 'Feature') return flat(properties, 'properties')
  const whole = item(feature, 'feature')
  return whole.length === 0 ? [] : type === 'Feature' ? item(properties, 'properties') : whole
}

/** That every line has the columns of the header is all that is asked of CSV here. */
const csv: Check = (text) => {
  try {
    const rows = parse(text, { record_delimiter: '\r\n', columns: true })
    return rows.length + 1 <= text.split('\r\n').length ? [] : ['more rows than lines']
  } catch (error) {
    return [`no CSV: ${error}`]
  }
}

const CHECKS: Readonly<Record<string, Check>> = {
  'application/geo+json': geojson,
  'application/x-ndjson': ndjson,
  'text/csv; charset=utf-8; header=present': csv,
}

/** How an answer of this type is checked; undefined for a document. */
export const checkOf = (contentType: string | null): Check | undefined => CHECKS[contentType ?? '']

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
