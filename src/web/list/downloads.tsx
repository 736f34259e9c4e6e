import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { DOWNLOADS, FEED, mediaType, NOT_IN_FEED } from '../../formats/downloads.ts'
import { MEMBERS } from '../../formats/flatEvents.ts'
import { changed, givenIn, hrefOf, isLong, type PageAddress } from '../state/address.ts'
import { zoneFor, zoneName } from '../state/format.ts'
import { eventListAt } from '../state/rows.ts'
import { keyInUse, request, saveBlob } from '../state/service.ts'
import { announce } from '../state/store.ts'
import { language, textsOf } from '../state/text.ts'
import { Menu } from './controls.tsx'

export const downloadTexts = textsOf({
  title: ['Download', 'Download'],
  about: ['All matching rows, not only this page.', 'Alle rijen die voldoen, niet alleen deze pagina.'],
  uses: [
    'Spreadsheet is for Excel and LibreOffice. CSV is for programs. Times: {} (NDJSON: UTC).',
    'Spreadsheet is voor Excel en LibreOffice. CSV is voor programma’s. Tijden: {} (NDJSON: UTC).',
  ],
  sheets: {
    facts: ['About', 'Over'],
    retrieved: ['Retrieved', 'Opgehaald'],
    zone: ['Time zone', 'Tijdzone'],
    filters: ['Filters', 'Filters'],
  },
  tooLong: ['Excel has at most {} rows here. CSV has all.', 'Excel heeft hier hoogstens {} rijen. CSV heeft alles.'],
  failed: ['The download of {} failed. Try again.', 'De download van {} is mislukt. Probeer het opnieuw.'],
  done: ['The file is stored', 'Het bestand is opgeslagen'],
  cite: ['Cite as: {}, {}, {}, retrieved on {}.', 'Bronvermelding: {}, {}, {}, opgehaald op {}.'],
  address: ['Address', 'Adres'],
  subscribe: ['Subscribe', 'Abonneren'],
})

interface DownloadsProps {
  readonly place: PageAddress
  /** The media types of the list. Absent: all formats. */
  readonly renders?: readonly string[] | undefined
  /** The number of rows in words. The citation names it. */
  readonly counted: string
  /** The series of the rows, its source and its licence. Empty or absent: there are several. The site stands for them. */
  readonly origin?: string
  /** The button for a workbook. Absent: the rows are no events. */
  readonly excel?: ComponentChildren
  /** The buttons that copy the code of a frame. */
  readonly embed?: ComponentChildren
}

/** A menu of links to all matches in every format, and how to cite them. */
export const Downloads = ({ place, renders, counted, origin, excel, embed }: DownloadsProps) => {
  const t = downloadTexts()
  const [fault, setFault] = useState('')
  const formats = Object.entries(DOWNLOADS).filter(
    ([, format]) => renders?.includes(mediaType(format.contentType)) ?? true,
  )
  if (formats.length === 0) return null
  const address = `${location.origin}${hrefOf(place)}`
  return (
    <Menu name="downloads" title={t.title}>
      <p>{t.about}</p>
      {excel}
      <ul class="row actions">
        {formats.map(([name, { label, extension }]) => (
          <li key={name}>
            <FileLink
              place={wholeOf(place, name)}
              file={`${place.path.split('/').at(-2) ?? 'list'}.${extension}`}
              label={label}
              onFault={setFault}
            />
          </li>
        ))}
      </ul>
      <small>{t.uses(zoneName())}</small>
      <p class="fault" role="alert">
        {fault}
      </p>
      <small>{t.cite(origin || location.host, counted, address, new Date().toISOString().slice(0, 10))}</small>
      {embed}
    </Menu>
  )
}

interface SubscribeProps extends Pick<DownloadsProps, 'place'> {
  /** The media types of the list. */
  readonly renders: readonly string[]
}

/** A link to the feed of the filters. Browsers and readers of feeds find the same link in the head of the page. */
export const Subscribe = ({ place, renders }: SubscribeProps) => {
  const type = mediaType(FEED.contentType)
  // No address has room for a long query.
  const isOffered = renders.includes(type) && !isLong(place)
  const left = Object.fromEntries(NOT_IN_FEED.map((name) => [name, null]))
  const href = hrefOf(changed(place, { ...left, timezone: givenIn(place, 'timezone'), format: 'atom' }))
  useEffect(() => {
    document.querySelector('link[rel=alternate]')?.remove()
    const link = Object.assign(document.createElement('link'), { rel: 'alternate', type, href })
    if (isOffered) document.head.append(link)
    return () => link.remove()
  }, [href, isOffered])
  if (!isOffered) return null
  return (
    <a class="button subscribe" href={href} type={type}>
      {downloadTexts().subscribe}
    </a>
  )
}

interface FileLinkProps {
  readonly place: PageAddress
  /** The name of the file, if the service does not tell it. */
  readonly file: string
  readonly label: string
  /** Gets the message of a failed download, or an empty text. */
  readonly onFault: (fault: string) => void
}

/** A link to a file. The page fetches it if an address cannot have its key, or its long query. */
export const FileLink = ({ place, file, label, onFault }: FileLinkProps) => {
  const fetchIt = (event: Event) => {
    if (keyInUse() === null && !isLong(place)) return
    event.preventDefault()
    fetchFile(place, file).then(
      () => onFault(''),
      () => onFault(downloadTexts().failed(label)),
    )
  }
  return (
    <a class="button" href={hrefOf(place)} download={file} onClick={fetchIt}>
      {label}
    </a>
  )
}

/** The members of a flat event that show a column of the page, if they have other names. */
const MEMBERS_OF: Readonly<Record<string, readonly string[]>> = {
  coordinates: ['longitude', 'latitude', 'z'],
  object: ['object_type', 'object_id'],
  event_series: ['event_series_name'],
}

/**
 * Returns the members of a flat event that show some columns of the page. Both ends of an event stand for its duration.
 * `start` is the name of the first one. Names that a table does not have are left out.
 */
const membersOfColumns = (columns: readonly string[], start: string): readonly string[] => {
  const membersOf = (name: string): readonly string[] => {
    if (name === 'duration') return [start, start.replace('start', 'end')]
    const isMember = ['id', ...MEMBERS].includes(name) || /^attributes(__.+)?$/.test(name)
    return MEMBERS_OF[name] ?? (isMember ? [name] : [])
  }
  return [...new Set(columns.flatMap(membersOf))]
}

/**
 * Returns the address of a file. Only a spreadsheet has numbers and cells as in the language of the page. Tables of events
 * have the columns that the reader chose.
 */
const wholeOf = (place: PageAddress, format: string): PageAddress => {
  const locale = format === 'spreadsheet' && language.value !== 'en' ? language.value : null
  const isTable = !['ndjson', 'json'].includes(format)
  const [zone] = zoneFor(place, isTable)
  const list = ['csv', 'spreadsheet'].includes(format) ? eventListAt(place.path) : null
  const chosen = list === null ? [] : membersOfColumns(givenIn(place, 'fields')?.split(',') ?? [], list.start)
  return changed(place, {
    fields: chosen.join() || null,
    page_size: 'all',
    format,
    locale,
    timezone: zone?.value ?? null,
  })
}

/** Stores a file. The browser keeps a large file on its disk until it is complete. */
const fetchFile = async (place: PageAddress, name: string): Promise<void> => {
  const response = await request(place, '*/*')
  if (!response.ok) throw new Error(String(response.status))
  const [, told = name] = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '') ?? []
  saveBlob(await response.blob(), told)
  announce(downloadTexts().done)
}
