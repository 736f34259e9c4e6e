import { secureHeaders } from 'hono/secure-headers'

/**
 * What every answer tells browsers: it runs nothing, is not framed and is what it says it is. What anyone may fetch, any
 * page may embed. A page for people has a policy of its own, see src/formats/html.ts.
 */
export const secure = secureHeaders({
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  crossOriginResourcePolicy: 'cross-origin',
  xFrameOptions: 'DENY',
  // Half a year, of this host alone: what else its owner runs on hosts below it is not for this service to decide.
  strictTransportSecurity: 'max-age=15552000',
})
