/** Makes the absolute addresses of an answer. */
export interface Links {
  /** The address of a path from the root. It carries `format` where the request did. */
  readonly to: (path: string) => string
}

/** Links below `base` (scheme, host and port, perhaps a path; no slash at its end). */
export const linksOf = (base: string, format: string | null): Links => ({
  to: (path) => `${base}${path}${format === null ? '' : `?format=${encodeURIComponent(format)}`}`,
})

/** What stands in front of every path: the variable BASE_URL if set, else the request's own scheme, host and port. */
export const baseOf = (url: URL, configured: string | undefined): string =>
  configured?.replace(/\/+$/, '') || url.origin

/** The path of a base, without a slash at its end. */
export const prefixOf = (base: string): string => new URL(base).pathname.replace(/\/$/, '')

/** The header Link of where the interface is described: to programs, and to people. */
export const describedBy = (base: string): string =>
  `<${base}/openapi.json>; rel="service-desc", <${base}/docs>; rel="service-doc"`
