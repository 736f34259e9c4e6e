/** A parameter of an address. Its value stays encoded as it came, as that of `geom_within` may be bytes that are no text. */
export interface Parameter {
  readonly name: string
  readonly encoded: string
}

/** Where the page is: the one state of it. Everything that is shown follows from this. */
export interface Place {
  readonly path: string
  readonly parameters: readonly Parameter[]
}

/** Beyond this an address is posted, as it would be too long once the page of the answer is added. */
const LONG = 4000

/** The place of an address, whatever host stands in front. */
export const placeOf = (address: string): Place => {
  const { pathname, search } = new URL(address, location.href)
  return { path: pathname, parameters: parametersOf(search) }
}

/** Where the browser is. A query too long for an address is kept beside it. */
export const here = (): Place => {
  const kept: unknown = history.state?.query
  return { path: location.pathname, parameters: parametersOf(typeof kept === 'string' ? kept : location.search) }
}

/** Makes a place the browser's own: `replace` leaves no way back to where it was. */
export const settle = (place: Place, replace = false): void => {
  const query = queryOf(place)
  const long = isLong(place)
  const state = long ? { query } : null
  const address = long ? place.path : `${place.path}${query}`
  if (replace) history.replaceState(state, '', address)
  else history.pushState(state, '', address)
}

/** Whether a place is under /ogc, whose parameters have other names. */
export const isOgc = ({ path }: Place): boolean => /(^|\/)ogc(\/|$)/.test(path)

export const isLong = (place: Place): boolean => queryOf(place).length > LONG

const parametersOf = (search: string): Parameter[] =>
  search
    .replace(/^\?/, '')
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const [, name = '', encoded = ''] = /^([^=]*)=?(.*)$/s.exec(pair) ?? []
      return { name: decode(name), encoded }
    })

/** The query of a place with its question mark, empty where there is none. */
export const queryOf = ({ parameters }: Place): string =>
  parameters.length === 0
    ? ''
    : `?${parameters.map(({ name, encoded }) => `${encodeURIComponent(name)}=${encoded}`).join('&')}`

export const hrefOf = (place: Place): string => `${place.path}${queryOf(place)}`

export const parameter = (name: string, value: string): Parameter => ({ name, encoded: encode(value) })

/** The text of a parameter; as it is encoded where it is no text. */
export const textOf = ({ encoded }: Parameter): string => decode(encoded)

/** The text of the first parameter of this name, null where there is none. */
export const givenIn = ({ parameters }: Place, name: string): string | null => {
  const found = parameters.find((each) => each.name === name)
  return found === undefined ? null : textOf(found)
}

/** The same place with some parameters changed, or removed for null. Every change but one of the page leads to the first page. */
export const changed = (place: Place, changes: Readonly<Record<string, string | null>>): Place => {
  const dropped = Object.hasOwn(changes, 'page') ? ['hint'] : ['hint', 'page', 'offset']
  const kept = place.parameters.filter(({ name }) => !Object.hasOwn(changes, name) && !dropped.includes(name))
  const set = Object.entries(changes).flatMap(([name, value]) => (value === null ? [] : [parameter(name, value)]))
  return { ...place, parameters: [...kept, ...set] }
}

/** The same place with a parameter under another name, or without it. */
export const renamed = ({ path, parameters }: Place, name: string, next: string | null): Place => ({
  path,
  parameters: parameters.flatMap((each) =>
    each.name !== name ? [each] : next === null ? [] : [{ ...each, name: next }],
  ),
})

/** The same place with other filters: of the parameters only those that are no filters stay. */
export const refiltered = (place: Place, filters: readonly Parameter[]): Place => ({
  ...place,
  parameters: [...filters, ...place.parameters.filter(({ name }) => KEPT.includes(name))],
})

const KEPT = ['format', 'ordering', 'page_size']

/** The parameters that filter: all that say neither which page there is to be, nor how it is ordered or written. */
export const filtersOf = ({ parameters }: Place): Parameter[] =>
  parameters.filter(({ name }) => !KEPT.includes(name) && name !== 'page' && name !== 'hint')

const decode = (encoded: string): string => {
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '))
  } catch {
    return encoded
  }
}

/** As legible as an address may be: what needs no escape in a query stays. */
const encode = (text: string): string =>
  encodeURIComponent(text.toWellFormed()).replace(/%(?:20|2C|3A|24|2F|3B|40)/g, (code) =>
    code === '%20' ? '+' : decodeURIComponent(code),
  )
