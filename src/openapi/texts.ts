import { DOCS } from './docs.ts'
import { type Api, documentOf } from './document.ts'
import type { Text } from './serve.ts'

/** What describes the interface, to programs and to people, by address. */
export const textsOf = (api: Api): Readonly<Record<string, Text>> => ({
  '/openapi.json': {
    name: 'OpenAPI',
    description: 'The description of the interface, in OpenAPI 3.1.',
    contentType: 'application/json',
    of: (base) => JSON.stringify(documentOf(api, base)),
  },
  '/docs': {
    name: 'Docs',
    description: 'The description of the interface, as a page to read and to try.',
    contentType: 'text/html; charset=utf-8',
    of: () => DOCS,
  },
})
