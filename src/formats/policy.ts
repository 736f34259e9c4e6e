/**
 * Returns the Content-Security-Policy of the page. It allows the page's own scripts and styles, and the images and
 * workers that MapLibre creates. `mapStyle` is the variable MAP_STYLE. The map may connect to its hosts. `framers` are
 * the sites that may show the page in a frame.
 */
export const pagePolicy = (mapStyle?: string, framers: readonly string[] = []): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data: blob:",
    "worker-src 'self' blob:",
    ["connect-src 'self'", ...originsIn(mapStyle)].join(' '),
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${framers.length === 0 ? "'none'" : framers.join(' ')}`,
  ].join('; ')

/** Returns the addresses in a text, which spaces separate. Other words are ignored. */
export const addressesIn = (text = ''): URL[] =>
  text.split(/\s+/).flatMap((word) => (/^https?:/.test(word) && URL.canParse(word) ? [new URL(word)] : []))

/** The form of an origin in a policy. Other characters, such as `;`, could add a rule. `*.` stands for subdomains. */
const ORIGIN = /^https?:\/\/(\*\.)?[\w-]+(\.[\w-]+)*(:\d+)?$/

/** Returns the origins of the addresses in a text, without duplicates. */
export const originsIn = (text?: string): string[] => [
  ...new Set(addressesIn(text).flatMap(({ origin }) => (ORIGIN.test(origin) ? [origin] : []))),
]
