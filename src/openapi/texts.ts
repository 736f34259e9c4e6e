import { type ApiOutline, apiDocument } from './api.ts'
import { DOCS } from './docs.ts'

import type { StaticText } from './serve.ts'

/** Returns the texts that describe the interface to programs, people and search engines, by address. */
export const textsOf = (api: ApiOutline): Readonly<Record<string, StaticText>> => ({
  '/openapi.json': {
    name: 'OpenAPI',
    description: 'The description of the interface in OpenAPI 3.1.',
    contentType: 'application/json',
    of: (base) => JSON.stringify(apiDocument(api, base)),
  },
  '/docs': {
    name: 'Docs',
    description: 'The description of the interface as a page, where requests can be tried.',
    contentType: 'text/html; charset=utf-8',
    of: () => DOCS,
  },
  '/robots.txt': {
    name: 'Robots',
    description:
      'The rules for search engines. They may read addresses without a query, because the pages link to endless filters.',
    contentType: 'text/plain; charset=utf-8',
    of: () => 'User-agent: *\nDisallow: /*?\n',
  },
})
