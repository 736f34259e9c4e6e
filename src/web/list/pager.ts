import { DOWNLOADS, type Download, mediaType } from '../../downloads.ts'
import { fill, h, setAttribute } from '../app/dom.ts'
import {
  type AddressParameter,
  changed,
  givenIn,
  hrefOf,
  isLong,
  isOgc,
  type PageAddress,
  placeOf,
} from '../state/address.ts'
import type { About } from '../state/context.ts'
import { formatCount } from '../state/format.ts'
import type { ListAnswer } from '../state/rows.ts'
import { keyInUse, request } from '../state/service.ts'

export interface Pager {
  readonly element: HTMLElement
  readonly update: (place: PageAddress, envelope: ListAnswer) => void
}

const SIZES = [10, 50, 100, 500, 1000, 5000, 10_000]

/** The parameter for the page size under /ogc, its default and its maximum. */
const OGC_SIZES = { name: 'limit', usual: 100, greatest: 10_000 }

/** Makes the controls for the page, its size and its order. */
export const makePager = (about: About, go: (place: PageAddress) => void): Pager => {
  let place: PageAddress
  const change = (changes: Record<string, string | null>) => go(changed(place, changes))
  const size = h('select', { id: 'page-size', change: () => change(sizeChange(sizesOf(place, about), size.value)) })
  const order = h('select', {
    id: 'ordering',
    change: () => change({ ordering: order.value === 'id' ? null : order.value, after: null }),
  })
  const { ordering = [] } = about
  for (const name of ordering)
    order.append(h('option', { value: name }, `${name} ↑`), h('option', { value: `-${name}` }, `${name} ↓`))
  const links = h('div', { class: 'links' })
  const element = h(
    'nav',
    { class: 'pager', 'aria-label': 'Pages' },
    links,
    ordering.length > 0 && h('label', {}, 'Order by ', order),
    h('label', {}, 'Rows ', size),
  )
  const update = (next: PageAddress, { count, next: after, previous: before }: ListAnswer) => {
    place = next
    const { name, usual, greatest } = sizesOf(place, about)
    const rows = Number(givenIn(place, name)) || usual
    const last = Math.max(1, Math.ceil(count / rows))
    const page = pageOf(place, rows, last)
    const others = [...SIZES.filter((each) => each <= greatest), rows]
    const sizes = [...new Set(others)].sort((a, b) => a - b)
    fill(
      size,
      sizes.map((each) => h('option', { value: each, selected: each === rows }, formatCount(each))),
    )
    // Only events near a position have a distance.
    for (const option of order.options)
      option.hidden = /^-?distance$/.test(option.value) && givenIn(place, 'near') === null
    order.value = givenIn(place, 'ordering') ?? 'id'
    const toLast = isOgc(place) ? { offset: String((last - 1) * rows) } : { page: 'last', after: null }
    fill(
      links,
      stepTo('«', 'First page', page > 1 ? changed(place, { page: null, offset: null }) : null),
      stepTo('‹', 'Previous page', before === null ? null : placeFrom(place, before)),
      h('span', {}, `Page ${formatCount(page)} of ${formatCount(last)}`),
      stepTo('›', 'Next page', after === null ? null : placeFrom(place, after)),
      stepTo('»', 'Last page', page < last ? changed(place, toLast) : null),
    )
  }
  return { element, update }
}

type Sizes = typeof OGC_SIZES

const sizesOf = (place: PageAddress, { page_size: [usual, greatest] = [10, 1000] }: About): Sizes =>
  isOgc(place) ? OGC_SIZES : { name: 'page_size', usual, greatest }

const sizeChange = ({ name, usual }: Sizes, size: string) => ({ [name]: size === String(usual) ? null : size })

const pageOf = (place: PageAddress, rows: number, last: number): number => {
  if (isOgc(place)) return Math.floor(Number(givenIn(place, 'offset') ?? 0) / rows) + 1
  const page = givenIn(place, 'page') ?? '1'
  return page === 'last' ? last : Number(page)
}

/** Returns the place of a page link. After a POST, the link has only the parameters of the page. */
const placeFrom = (place: PageAddress, address: string): PageAddress => {
  const { parameters } = placeOf(address)
  const isTurn = ({ name }: AddressParameter) => ['page', 'hint', 'offset'].includes(name)
  const turned = parameters.filter(isTurn)
  const kept = place.parameters.filter((each) => !isTurn(each))
  return { path: place.path, parameters: [...kept, ...turned] }
}

const stepTo = (text: string, label: string, target: PageAddress | null): HTMLElement => {
  const element = h('a', { class: 'button step', 'aria-label': label, title: label }, text)
  if (target === null) {
    setAttribute(element, 'role', 'link')
    setAttribute(element, 'aria-disabled', 'true')
  } else element.href = hrefOf(target)
  return element
}

/**
 * Makes links to all matches in every format. With a key, the page fetches the file, because a link cannot send a key.
 */
export const makeDownloads = ({ renders = [] }: About, onFailure: (message: string) => void) => {
  const formats = Object.entries(DOWNLOADS).filter(([, format]) => renders.includes(mediaType(format)))
  const element = h('div', {
    class: 'downloads',
    role: 'group',
    'aria-label': 'Download all matching rows',
    hidden: formats.length === 0,
  })
  const linkTo = (place: PageAddress, format: string, { label, extension }: Download) => {
    const { path, parameters } = changed(place, { page: null, page_size: 'all', format })
    const whole = { path, parameters }
    const download = `${path.split('/').at(-2) ?? 'list'}.${extension}`
    const click = (event: Event) => {
      // An address cannot have a key, or a query that is too long.
      if (keyInUse() === null && !isLong(whole)) return
      event.preventDefault()
      save(whole, download).catch(() => onFailure(`The download of ${label} failed. Try again.`))
    }
    return h('a', { class: 'button', href: hrefOf(whole), download, click }, label)
  }
  const update = (place: PageAddress) =>
    fill(
      element,
      formats.length > 0 && h('span', {}, 'Download all'),
      formats.map(([name, format]) => linkTo(place, name, format)),
    )
  return { element, update }
}

/** Makes the links for a list that the page does not show. The message of a failure appears next to them. */
export const downloadsOf = (place: PageAddress): HTMLElement => {
  const fault = h('p', { class: 'fault', role: 'alert' })
  const { element, update } = makeDownloads({ renders: Object.values(DOWNLOADS).map(mediaType) }, (message) =>
    fill(fault, message),
  )
  update(place)
  element.append(fault)
  return element
}

const save = async (place: PageAddress, name: string): Promise<void> => {
  const response = await request(place, '*/*')
  if (!response.ok) throw new Error(String(response.status))
  const [, told] = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '') ?? []
  const href = URL.createObjectURL(await response.blob())
  h('a', { href, download: told ?? name }).click()
  setTimeout(() => URL.revokeObjectURL(href), 60_000)
}
