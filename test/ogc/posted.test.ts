import { describe, expect, it } from 'vitest'
import { eventOf, seriesOf, typeOf, uuidOf } from '../http/writes.ts'
import { type Send, servicesWith } from '../oracle/oracle.ts'
import { ORIGIN } from '../service.ts'

// A query may be a form in the body of a POST. It has the answer of a GET.

const engines = servicesWith([
  typeOf(1),
  seriesOf(1, 'Public'),
  ...Array.from({ length: 9 }, (_, i) => ({ ...eventOf(i + 1, 1), attributes: { mag: i } })),
])
const ITEMS = `/ogc/collections/events-${uuidOf(1)}/items`
const QUERY = 'filter=mag>1&sortby=-mag&limit=3'

interface Features {
  readonly numberMatched: number
  readonly features: readonly { readonly id: number }[]
  readonly links: readonly { readonly rel: string; readonly href: string }[]
}

describe.each(engines)('a posted query of features over %s', (_, send: Send) => {
  const read = async (response: Response) => {
    expect(response.status).toBe(200)
    const { numberMatched, features, links } = await response.json<Features>()
    const linkOf = (rel: string) => links.find((link) => link.rel === rel)?.href.replace(/^https?:\/\/[^/]+/, '')
    return { count: numberMatched, ids: features.map(({ id }) => id), next: linkOf('next'), previous: linkOf('prev') }
  }

  it.each([
    '',
    '&f=geojson',
    '&offset=4',
    '&resultType=hits',
    '&datetime=1970-01-01T00:00:08Z/..&datetime=../1970-01-01T00:00:08Z',
  ])('has the answer of a GET%s', async (more) => {
    const [posted, got] = [
      await read(await send(ITEMS, QUERY + more)),
      await read(await send(`${ITEMS}?${QUERY}${more}`)),
    ]
    expect([posted.count, posted.ids]).toEqual([got.count, got.ids])
  })

  it.each(['', '&offset=0'])('leads to each feature once, if the same body goes to each link%s', async (more) => {
    const pages: (readonly number[])[] = []
    let previous: string | undefined
    for (let path: string | undefined = ITEMS; path !== undefined; ) {
      const page = await read(await send(path, QUERY + more))
      pages.push(page.ids)
      ;[path, previous] = [page.next, page.previous]
    }
    expect(pages).toEqual([[9, 8, 7], [6, 5, 4], [3]])
    expect((await read(await send(previous ?? '', QUERY + more))).ids).toEqual([6, 5, 4])
    const alone = await send(previous ?? '')
    expect([alone.status, await alone.text()]).toEqual([400, expect.stringContaining('Post the same body')])
  })

  it.each([
    ['datetime=../1970-01-01T00:00:03Z', 'datetime=1970-01-01T00:00:04Z/..', 2],
    // The address of a link has the instants of its body.
    ['datetime=../1970-01-01T00:00:03Z', 'datetime=../now', 3],
  ])('has the conditions of the address %s and of the body %s', async (address, body, count) => {
    expect((await read(await send(`${ITEMS}?${address}`, `${body}&limit=3`))).count).toBe(count)
  })

  it('has a self that asks for its body', async () => {
    const { links } = await (await send(ITEMS, QUERY)).json<Features>()
    for (const rel of ['self', 'alternate'])
      expect((await send(links.find((link) => link.rel === rel)?.href.replace(ORIGIN, '') ?? '')).status).toBe(400)
  })

  it('writes nothing, and needs no key', async () => {
    expect((await send(ITEMS, '')).status).toBe(200)
    expect((await read(await send(ITEMS))).count).toBe(9)
  })
})
