import { ACCESS_LEVELS } from '../base/access.ts'
import type { Row } from '../engine/engine.ts'
import { isoInstant, MILLISECONDS } from '../filters/temporal.ts'
import { eventsV4 } from '../lists/event.ts'
import { eventSeriesV3, eventSeriesV4 } from '../lists/series.ts'
import { columnName, licenseAddress, type MetadataRow, metadataOf } from '../model/metadata.ts'
import type { SeriesRow } from '../model/types.ts'
import type { FieldName } from '../question/fields.ts'
import { DOWNLOADS, FILES, filePath, mediaType } from './downloads.ts'
import { escapeHtml, escapeScript } from './plain.ts'

/** The fields of a series that describe it as a dataset. */
export const DATASET_FIELDS: readonly FieldName[] = [
  ...new Set([...eventSeriesV3.view.reads, ...eventSeriesV4.view.reads, 'metadata' as const, 'event_count' as const]),
]

type Numbers = Readonly<Record<'event_count' | 'start' | 'end', number | null>>
type Texts = Readonly<Record<'name' | 'description', string | null>>

/** Returns an address without the characters that no IRI has (RFC 3987). */
const iriOf = (address: string | null): string | null =>
  address && new URL(address).href.replace(/[{}|\\^`]/g, encodeURIComponent)

/**
 * Returns what search engines and catalogues show of a series. The sitemap has the same
 * address. The facts have no time of the last change: the time of a series does not move with its events.
 */
const factsOf = (read: Row, base: string) => {
  // It has DATASET_FIELDS. The views of an owner may have series without a text.
  const row = read as Omit<SeriesRow, keyof Texts> & MetadataRow & Numbers & Texts
  const { uuid, name, description, event_count: count, start, end } = row
  const times = [start, end].flatMap((time) => isoInstant(time, MILLISECONDS) ?? [])
  const period = times.length === 2 ? times : null
  const metadata = metadataOf(row)
  return {
    ...metadata,
    // A category, a time and an id of an event measure nothing.
    measured: metadata.fields.filter(({ name }) => /^(value$|attributes__)/.test(name)),
    source_url: iriOf(metadata.source_url),
    licenseAddress: iriOf(licenseAddress(metadata.license)),
    address: `${base}${eventSeriesV3.path}${uuid}/`,
    uuid,
    name: name?.trim() || uuid,
    description: descriptionOf(description?.trim() ?? '', count, period),
    bbox: eventSeriesV3.place.of(row).bbox,
    period,
    files: FILES.map((file) => ({
      name: DOWNLOADS[file].label,
      type: mediaType(DOWNLOADS[file].contentType),
      address: `${base}${filePath(eventsV4.path.replace(':uuid', uuid), file)}?page_size=all`,
    })),
  }
}

/** Google takes descriptions of 50 to 5000 characters. */
const descriptionOf = (given: string, count: number | null, period: readonly string[] | null): string => {
  if (given.length >= 50) return given.slice(0, 5000).toWellFormed()
  const days = period?.map((instant) => instant.replace(/T.*/, '')).join(' to ')
  const facts = [count === null ? '' : `Number of events: ${count}.`, days && `Period: ${days}.`]
  return [given, ...facts, 'Its events can be downloaded as CSV, GeoJSON and NDJSON.'].filter(Boolean).join('\n')
}

/** Leaves out the members that the service does not know. */
const known = (members: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => Boolean(value) && String(value) !== ''))

/** Writes the head of the page of a series in the words of schema.org. Empty: the series is not public. */
export const datasetHead = (row: Row, base: string, catalog: string): string => {
  if (row.access_modifier !== ACCESS_LEVELS.Public) return ''
  const { address, bbox, license, source, files, ...facts } = factsOf(row, base)
  const box = bbox && [bbox[1], bbox[0], bbox[3], bbox[2]].join(' ')
  const dataset = known({
    '@context': 'https://schema.org/',
    '@type': 'Dataset',
    '@id': address,
    url: address,
    identifier: facts.uuid,
    name: facts.name,
    description: facts.description,
    license: facts.licenseAddress ?? (license && { '@type': 'CreativeWork', name: license }),
    publisher: source && known({ '@type': 'Organization', name: source, url: facts.source_url }),
    spatialCoverage: box && { '@type': 'Place', geo: { '@type': 'GeoShape', box } },
    temporalCoverage: facts.period?.join('/'),
    variableMeasured: facts.measured.map(({ name, title, unit }) =>
      known({ '@type': 'PropertyValue', name: title ?? columnName(name), unitText: unit }),
    ),
    distribution: files.map(({ name, type: encodingFormat, address: contentUrl }) => {
      return { '@type': 'DataDownload', name, encodingFormat, contentUrl }
    }),
    includedInDataCatalog: { '@type': 'DataCatalog', name: catalog, url: `${base}/` },
    isAccessibleForFree: true,
  })
  return `\n<link rel="canonical" href="${escapeHtml(address)}">
<script type="application/ld+json">${escapeScript(dataset)}</script>`
}

/** Describes a series in the words of DCAT 3, with the prefixes of the catalogue. */
export const dcatOf = (row: Row, base: string): object => {
  const { address, bbox, period, license, source, files, ...facts } = factsOf(row, base)
  const [w, s, e, n] = bbox ?? []
  const isPoint = w === e && s === n
  const [start, end] = period ?? []
  return known({
    '@id': address,
    '@type': 'dcat:Dataset',
    'dct:title': facts.name,
    'dct:description': facts.description,
    'dct:identifier': facts.uuid,
    'dct:license': facts.licenseAddress ?? (license && { '@type': 'dct:LicenseDocument', 'dct:title': license }),
    'dct:publisher': source && known({ '@type': 'foaf:Agent', 'foaf:name': source, 'foaf:homepage': facts.source_url }),
    'dct:spatial': bbox && {
      '@type': 'dct:Location',
      'dcat:bbox': isPoint ? `POINT(${w} ${s})` : `POLYGON((${w} ${s}, ${e} ${s}, ${e} ${n}, ${w} ${n}, ${w} ${s}))`,
    },
    'dct:temporal': period && { '@type': 'dct:PeriodOfTime', 'dcat:startDate': start, 'dcat:endDate': end },
    'dcat:landingPage': address,
    'dcat:distribution': files.map(({ name, type, address: file }) => ({
      '@type': 'dcat:Distribution',
      'dct:title': name,
      'dcat:mediaType': `https://www.iana.org/assignments/media-types/${type}`,
      'dcat:accessURL': file,
      'dcat:downloadURL': file,
    })),
  })
}
