/** Tests if a value is an address of the web. Only such a one may become a link: a browser runs `javascript:alert(1)`. */
export const isWebAddress = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? '')

/**
 * The names of parameters that other programs add to addresses: jQuery adds `_`, and newsletters add `utm_source` and
 * others.
 */
export const STRAY = /^(_|utm_.*)$/s
