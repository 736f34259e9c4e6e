import { parse } from 'csv-parse/browser/esm/sync'
import { FLAT, type Shape, shapeOfList } from './shapes.ts'

/** Returns the faults of an answer with items. Each item must have the shape `item`. */
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

/** Checks a feature: either the feature or its properties must have the shape. */
const itemOf = (feature: unknown, item: Shape): string[] => {
  const { type, properties } = (feature ?? {}) as { type?: string; properties?: unknown }
  const flat = FLAT.get(item)
  if (flat !== undefined && type === 'Feature') return flat(properties, 'properties')
  const whole = item(feature, 'feature')
  return whole.length === 0 ? [] : type === 'Feature' ? item(properties, 'properties') : whole
}

/** Checks only that each CSV line has the columns of the header. */
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

/** Returns the check for answers of a content type. It is undefined if the type has no items. */
export const checkOf = (contentType: string | null): Check | undefined => CHECKS[contentType ?? '']

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
