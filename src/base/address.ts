/** Tests if a value is an address of the web. Only such a one may become a link: a browser runs `javascript:alert(1)`. */
export const isWebAddress = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:$/.test(URL.parse(value)?.protocol ?? '')
