import { useState } from 'preact/hooks'
import { DOWNLOADS, mediaType } from '../../downloads.ts'
import { changed, hrefOf, isLong, type PageAddress } from '../state/address.ts'
import type { About } from '../state/fields.ts'
import { keyInUse, request } from '../state/service.ts'
import { announce } from '../state/store.ts'
import { language, texts } from '../state/text.ts'

interface DownloadsProps {
  readonly place: PageAddress
  readonly about: Pick<About, 'renders'>
  /** The number of rows in words. The citation names it. */
  readonly counted: string
}

/** A menu of links to all matches in every format, and how to cite them. */
export const Downloads = ({ place, about: { renders = [] }, counted }: DownloadsProps) => {
  const t = texts().list.downloads
  const [fault, setFault] = useState('')
  const formats = Object.entries(DOWNLOADS).filter(([, format]) => renders.includes(mediaType(format)))
  if (formats.length === 0) return null
  return (
    <details class="menu downloads">
      <summary class="button">{t.title}</summary>
      <div class="panel">
        <p>{t.about}</p>
        <ul class="actions">
          {formats.map(([name, { label, extension }]) => (
            <li key={name}>
              <Download place={wholeOf(place, name)} label={label} extension={extension} onFault={setFault} />
            </li>
          ))}
        </ul>
        <p>
          <small>{t.uses}</small>
        </p>
        <p class="fault" role="alert">
          {fault}
        </p>
        <p>
          <small>{t.cite(counted, `${location.origin}${hrefOf(place)}`, new Date().toISOString().slice(0, 10))}</small>
        </p>
      </div>
    </details>
  )
}

/** Returns the address of a file. Only a spreadsheet has numbers and cells as in the language of the page. */
const wholeOf = (place: PageAddress, format: string): PageAddress => {
  const locale = format === 'spreadsheet' && language.value !== 'en' ? language.value : null
  return changed(place, { page: null, page_size: 'all', format, locale })
}

interface DownloadProps {
  readonly place: PageAddress
  readonly label: string
  readonly extension: string
  readonly onFault: (message: string) => void
}

/** A link to a file. The page fetches it if an address cannot have its key, or its long query. */
const Download = ({ place, label, extension, onFault }: DownloadProps) => {
  const name = `${place.path.split('/').at(-2) ?? 'list'}.${extension}`
  const fetchIt = async (event: Event) => {
    if (keyInUse() === null && !isLong(place)) return
    event.preventDefault()
    onFault('')
    try {
      await save(place, name)
      announce(texts().list.downloads.done)
    } catch (error) {
      // The reader closed the dialog of the browser.
      if (!(error instanceof DOMException && error.name === 'AbortError')) onFault(texts().list.downloads.failed(label))
    }
  }
  return (
    <a class="button" href={hrefOf(place)} download={name} onClick={fetchIt}>
      {label}
    </a>
  )
}

type PickFile = (options: { readonly suggestedName: string }) => Promise<FileSystemFileHandle>

/** Stores a file as it arrives, if the browser can. Otherwise the whole file is in memory first. */
const save = async (place: PageAddress, name: string): Promise<void> => {
  const pick = 'showSaveFilePicker' in window ? (window.showSaveFilePicker as PickFile) : null
  const handle = await pick?.({ suggestedName: name })
  const response = await request(place, '*/*')
  if (!response.ok || response.body === null) throw new Error(String(response.status))
  if (handle !== undefined) return response.body.pipeTo(await handle.createWritable())
  const [, told = name] = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '') ?? []
  const link = Object.assign(document.createElement('a'), {
    href: URL.createObjectURL(await response.blob()),
    download: told,
  })
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
