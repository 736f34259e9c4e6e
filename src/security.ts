import { secureHeaders } from 'hono/secure-headers'

/**
 * The security headers of every answer. A browser runs no script of it, does not frame it and trusts its type. Any page
 * may embed it, because anyone may fetch it. The page for a browser has its own policy, see src/formats/html.ts.
 */
export const secure = secureHeaders({
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  crossOriginResourcePolicy: 'cross-origin',
  xFrameOptions: 'DENY',
  // Half a year, and for this host only: its subdomains may be other services.
  strictTransportSecurity: 'max-age=15552000',
})
