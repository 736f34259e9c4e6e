import type { Links } from '../resource.ts'

/** Makes links below `base`, which is scheme, host, port and perhaps a path, without a slash at its end. */
export const linksOf = (base: string, format: string | null): Links => ({
  to: (path) => `${base}${path}${format === null ? '' : `?format=${encodeURIComponent(format)}`}`,
})

/** Returns the start of every address: the variable BASE_URL if set, or else scheme, host and port of the request. */
export const baseOf = (url: URL, configured: string | undefined): string =>
  configured?.replace(/\/+$/, '') || url.origin

/** Returns the path of a base, without a slash at its end. */
export const prefixOf = (base: string): string => new URL(base).pathname.replace(/\/$/, '')

/** Returns the header Link to the description of the interface, for programs and for people (RFC 8631). */
export const describedBy = (base: string): string =>
  `<${base}/openapi.json>; rel="service-desc", <${base}/docs>; rel="service-doc"`
