import { secureHeaders } from 'hono/secure-headers'

/**
 * The security headers of every answer. They forbid scripts and frames, and make browsers trust the media type. Any
 * page may embed an answer, because anyone may fetch it. The page for a browser has its own policy, see
 * src/formats/html.ts.
 */
export const secure = secureHeaders({
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  crossOriginResourcePolicy: 'cross-origin',
  xFrameOptions: 'DENY',
  // Half a year, and for this host only: its subdomains may be other services.
  strictTransportSecurity: 'max-age=15552000',
})
