import { signal } from '@preact/signals'
import { STRAY } from '../../base/address.ts'

/** A parameter of an address. */
export interface AddressParameter {
  readonly name: string
  readonly value: string
}

/** The path and parameters of the page. They are its only state, and decide everything that it shows. */
export interface PageAddress {
  readonly path: string
  readonly parameters: readonly AddressParameter[]
}

/** The page sends a longer query by POST. A link to the next page would make its address too long. */
const LONG = 4000

/** Returns the place of an address, and ignores its host. */
export const placeOf = (address: string): PageAddress => {
  const { pathname, search } = new URL(address, location.href)
  return placeIn(pathname, search)
}

/** Returns the browser's place. A query that is too long for an address is in the history state. */
export const here = (): PageAddress => {
  const kept: unknown = history.state?.query
  return placeIn(location.pathname, typeof kept === 'string' ? kept : location.search)
}

/**
 * Makes a place the address of the browser. Another query of the same list keeps the view. `from` is the address of the
 * list with the link to the place. Null if no list had it.
 */
export const settle = (place: PageAddress, from: string | null): void => {
  const state = { from, query: isLong(place) ? queryOf(place) : undefined }
  const fragment = place.path === location.pathname ? fragmentToKeep() : ''
  history.pushState(state, '', `${isLong(place) ? place.path : hrefOf(place)}${fragment}`)
  readView()
}

/** Tests if a place is under /ogc. Its parameters have other names. */
export const isOgc = ({ path }: PageAddress): boolean => /(^|\/)ogc(\/|$)/.test(path)

export const isLong = (place: PageAddress): boolean => queryOf(place).length > LONG

/** Returns the place of a path and a query. The service ignores stray parameters, except for columns under /ogc. */
const placeIn = (path: string, search: string): PageAddress => {
  const parameters = Array.from(new URLSearchParams(search), ([name, value]) => parameter(name, value))
  const place = { path, parameters }
  return isOgc(place) ? place : { path, parameters: parameters.filter(({ name }) => !STRAY.test(name)) }
}

/** Returns the query of a place with its question mark. Empty without parameters. Its characters stay readable. */
export const queryOf = ({ parameters }: PageAddress): string => {
  const query = new URLSearchParams(parameters.map(({ name, value }) => [name, value]))
  const readable = query.toString().replace(/%(?:2[14789CF]|3A|3B|40|7E)/g, decodeURIComponent)
  return readable === '' ? '' : `?${readable}`
}

export const hrefOf = (place: PageAddress): string => `${place.path}${queryOf(place)}`

export const parameter = (name: string, value: string): AddressParameter => ({ name, value })

/** Returns the text of the first parameter with this name. Null without one. */
export const givenIn = ({ parameters }: PageAddress, name: string): string | null =>
  parameters.find((each) => each.name === name)?.value ?? null

/**
 * Changes parameters of a place. Null removes one. Every change leads to the first page, except a change of the page.
 */
export const changed = (place: PageAddress, changes: Readonly<Record<string, string | null>>): PageAddress => {
  const kept = place.parameters.filter((each) => !Object.hasOwn(changes, each.name) && !isTurn(each))
  const set = Object.entries(changes).flatMap(([name, value]) => (value === null ? [] : [parameter(name, value)]))
  const next = { ...place, parameters: [...kept, ...set] }
  return Object.hasOwn(changes, 'timezone') ? next : withoutIdleZone(next)
}

/** Leaves out the time zone of a place without dates: its rows are the same in each zone. */
const withoutIdleZone = (place: PageAddress): PageAddress =>
  isDated(place) ? place : { ...place, parameters: place.parameters.filter(({ name }) => name !== 'timezone') }

const isTurn = ({ name }: AddressParameter): boolean => ['page', 'hint', 'offset'].includes(name)

/** Returns the place of a page link. After a POST, the link has only the parameters of the page. */
export const turnedTo = ({ path, parameters }: PageAddress, address: string): PageAddress => ({
  path,
  parameters: [...parameters.filter((each) => !isTurn(each)), ...placeOf(address).parameters.filter(isTurn)],
})

/** Replaces parameters of a place with others, which stand where the first of them stood. It leads to the first page. */
export const exchanged = (
  { path, parameters }: PageAddress,
  before: readonly string[],
  after: readonly AddressParameter[],
): PageAddress => {
  const goes = (each: AddressParameter) => before.includes(each.name) || after.some(({ name }) => name === each.name)
  const at = parameters.findIndex(goes)
  const [start, end] = at < 0 ? [parameters, []] : [parameters.slice(0, at), parameters.slice(at)]
  const rest = (some: readonly AddressParameter[]) => some.filter((each) => !goes(each) && !isTurn(each))
  return withoutIdleZone({ path, parameters: [...rest(start), ...after, ...rest(end)] })
}

/** The parameters that show the same rows in another way, or choose a part of them, also under /ogc. */
const NO_FILTERS = new Set(
  'format f ordering sortby page_size limit fields include locale timezone crs consistent explain page hint offset after'.split(
    ' ',
  ),
)

/** Returns the parameters that are filters. */
export const filtersOf = ({ parameters }: PageAddress): AddressParameter[] =>
  parameters.filter(({ name }) => !NO_FILTERS.has(name))

/** The beginning of the names of filters by time. */
const TIME = /^(datetime|start|end|timestamp_(start|end)|created|last_modified)(__|$)/
/** The names of filters by a part of the start. */
const PART = /^(timestamp_)?start__(year|month|weekday|hour)(__|$)/
/** A date, or a time without an offset. */
const LOCAL = /(^|[,/])\d{4}-\d\d-\d\d(T[\d:.]*)?($|[,/])/

/** Tests if the filters of a place have a date, a part of one, or a time without an offset. The time zone decides them. */
export const isDated = (place: PageAddress): boolean =>
  filtersOf(place).some(({ name, value }) => PART.test(name) || (TIME.test(name) && LOCAL.test(value)))

/** Returns the name of the time zone that a place asks for. Null: its instants are the same in each zone. */
export const zoneIn = (place: PageAddress): string | null =>
  givenIn(place, 'timezone') ?? (isDated(place) ? 'UTC' : null)

/** Tests if the service has a page at a place. An address with another format is a file. */
export const isPage = (place: PageAddress, prefix: string): boolean => {
  const format = givenIn(place, 'format') ?? givenIn(place, 'f') ?? 'html'
  const path = place.path.slice(prefix.length)
  return (path === '/' || /^\/(api|ogc)(\/|$)/.test(path)) && ['api', 'html'].includes(format)
}

/** The parts of a view that the address keeps after `#`, such as `#map=4.5/52.1/5.3&zone=local`. So a link has them. */
type Part =
  | 'compare'
  | 'dots'
  | 'embed'
  | 'graph'
  | 'group'
  | 'map'
  | 'number'
  | 'order'
  | 'pane'
  | 'pictures'
  | 'scale'
  | 'stack'
  | 'zone'

type View = ReadonlyMap<string, string>

// Tests without a browser have no address.
const read = (): View => new Map(new URLSearchParams(globalThis.location?.hash.slice(1)))

/** The view in the address. */
export const view = signal<View>(read())

/** Returns the fragment of a view with its `#`. Empty without parts. */
export const fragmentOf = (parts: View): string => {
  const text = new URLSearchParams([...parts]).toString().replaceAll('%2F', '/')
  return text === '' ? '' : `#${text}`
}

/** Changes parts of the view. Null removes one. The entry of the history stays the same. */
export const setView = (changes: Partial<Readonly<Record<Part, string | null>>>): void => {
  const changed = new Map(view.peek())
  for (const [part, value] of Object.entries(changes)) {
    if (value === null) changed.delete(part)
    else changed.set(part, value)
  }
  view.value = changed
  history.replaceState(history.state, '', `${location.pathname}${location.search}${fragmentOf(changed)}`)
}

/** Returns the fragment for another query of the same list. Its map shows other events, so it moves to these. */
export const fragmentToKeep = (): string => fragmentOf(new Map([...view.peek()].filter(([part]) => part !== 'map')))

/** Reads the view again after the address has changed. */
export const readView = (): void => {
  view.value = read()
}
