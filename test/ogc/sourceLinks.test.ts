import { describe, expect, it } from 'vitest'
import { seriesOf, typeOf, uuidOf } from '../http/writes.ts'
import { servicesWith } from '../oracle/oracle.ts'

/** Licences, and the addresses to which they link. */
const LICENSES: readonly (readonly [license: string, href: string | undefined])[] = [
  ['CC-BY-4.0', 'https://spdx.org/licenses/CC-BY-4.0.html'],
  ['https://example.org/terms', 'https://example.org/terms'],
  ['javascript:alert(1)', undefined],
  ['data:text/html,<script>alert(1)</script>', undefined],
  ['Open Government Licence', undefined],
]
const idOf = (license: string) => 1 + LICENSES.findIndex(([each]) => each === license)
const metadata = { ...{ source: 'The source', source_url: null, contact: null, more: false }, fields: [] }
/** Only the tables of an owner may have such a text. */
const UNREAD = `UPDATE event_series SET metadata = json_build_object('source_url', 'javascript:alert(1)') WHERE id = 99`

const engines = servicesWith(
  [
    typeOf(1),
    ...LICENSES.map(([license]) => ({ ...seriesOf(idOf(license), 'Public'), metadata: { ...metadata, license } })),
    seriesOf(99, 'Public'),
  ],
  UNREAD,
)

interface Linked {
  readonly links: readonly { readonly rel: string; readonly href: string }[]
}

describe.each(engines)('over %s', (_, send) => {
  const linksOf = async (id: number) =>
    (await (await send(`/ogc/collections/events-${uuidOf(id)}`)).json<Linked>()).links

  it.each(LICENSES)('the licence %j links to %s', async (license, href) => {
    const links = await linksOf(idOf(license))
    expect(links.find(({ rel }) => rel === 'license')?.href).toBe(href)
    const html = await (await send(`/ogc/collections/events-${uuidOf(idOf(license))}?f=html`)).text()
    expect(html).not.toMatch(/href="?\s*(javascript|data|ftp):/i)
  })

  it('a source without an address of the web has none, in no document', async () => {
    expect((await linksOf(99)).map(({ rel }) => rel)).not.toContain('attribution')
    const described = await (await send(`/api/v4/eventseries/${uuidOf(99)}/metadata/`)).json()
    expect(described).toMatchObject({ source_url: null })
  })
})
