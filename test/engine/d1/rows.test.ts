import { env } from 'cloudflare:workers'
import { Buffer } from 'node:buffer'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { MAX_BYTES } from '../../../src/engine/limits.ts'
import { MAX_PAGE_SIZE } from '../../../src/lists/resource.ts'
import { databaseWith } from '../../isolates.ts'
import { RAISE_AT_ONCE } from '../../revisions.ts'
import { get, load, type Options, send, withKey } from '../../service.ts'
import { EXHAUSTIVE, splitRows } from '../../tags.ts'
import { EVENTS, foundation, makeEvents, pour, SERIES, seenBy } from '../world.ts'

/** The longest values: of 3 bytes a character, so that a page has 18 MB, and of one byte in the largest page. */
const WIDE = { events: 600, characters: 10_000 }
const MANY = { events: 10_000, characters: 10_000 }

const reads: number[] = []
let onRead: () => unknown = () => {}
/** The real database. It notes the bytes of each round trip. */
const DB = databaseWith(async (real) => {
  const answers = await real()
  reads.push(Buffer.byteLength(JSON.stringify(answers.map(({ results }) => results))))
  await onRead()
  return answers
})

const all = seenBy('Hidden')
const ask = async (path: string, options: Options = {}) => {
  reads.length = 0
  onRead = () => {}
  return send(path, { ...options, vars: { ...all.vars, DB, ...options.vars } })
}
/** Reads the text of an answer that comes in many small chunks. */
const textOf = async (response: Response): Promise<string> => {
  const [decoder, parts] = [new TextDecoder(), [] as string[]]
  for await (const chunk of response.body ?? []) parts.push(decoder.decode(chunk, { stream: true }))
  return parts.join('')
}

const first = 1_000_000
const ofLength = (characters: number, character: string) =>
  `replace(hex(zeroblob(${characters / 2})), '0', '${character}')`

beforeAll(async () => {
  await load([...foundation, ...makeEvents(30, 1)])
  await pour(
    Array.from({ length: WIDE.events }, (_, i) => ({ id: first + i, start: i, coordinates: [i / 10, 1, 0] as const })),
  )
  const text = ofLength(WIDE.characters, '界')
  await env.DB.prepare(`UPDATE event SET value = id || substr(${text}, 8) WHERE id >= ${first}`).run()
})

const IN_SERIES = `id__gte=${first}&id__lt=${2 * first}`
/** Reads the ids at the start of all values, in an answer of any format. It expects each value to be complete. */
const idsIn = (text: string): number[] =>
  [...text.matchAll(/(\d{7})(界+)/g)].map(([whole, id]) => (whole.length === WIDE.characters ? Number(id) : -1))
const expected = Array.from({ length: WIDE.events }, (_, i) => first + i)
/** A batch has MAX_BYTES of texts, and the other columns of a page. */
const expectSmallReads = () => expect(Math.max(...reads)).toBeLessThan(MAX_BYTES + 1_500_000)

const TOO_LONG = 'This page has more than 8 MB of text. Enter a smaller number.'
const OGC_EVENTS = '/ogc/collections/events/items'
const AREA = 'POLYGON((-1 -9,120 -9,120 9,-1 30,-1 -9))'

describe('600 events of 10,000 characters of 3 bytes', () => {
  /** So many of these events have at most 8 MB of text. */
  let most = 0

  beforeAll(async () => {
    const { bytes } = (await env.DB.prepare(
      `SELECT octet_length(value) + octet_length(category.text) AS bytes FROM event JOIN category ON category.id = category_id
      WHERE event.id = ?`,
    )
      .bind(first)
      .first<{ bytes: number }>()) ?? { bytes: Number.NaN }
    most = Math.floor(MAX_BYTES / bytes)
    expect(most).toBeGreaterThan(250)
  })

  for (const [options, rows] of splitRows(5, [
    [`${EVENTS}?page_size=N&${IN_SERIES}`],
    [`${EVENTS}?page_size=N&${IN_SERIES}&include=series`],
    [`${EVENTS}?page_size=N&${IN_SERIES}&ordering=timestamp_start`],
    [`${EVENTS}?page_size=N&${IN_SERIES}&format=geojson`],
    [`${EVENTS}?page_size=N&${IN_SERIES}&category__regex=.`],
    [`${EVENTS}?page_size=N&geom_within=${AREA}&${IN_SERIES}`],
    [`${EVENTS}?page_size=N&${IN_SERIES}&format=csv`],
    [`/api/v4/events/?page_size=N&${IN_SERIES}&format=ndjson`],
    [`${EVENTS}?page_size=N&near=0,1&radius=20000000&ordering=distance&${IN_SERIES}`],
  ]))
    it.each(rows)('%s has at most 8 MB', options, async (path) => {
      const response = await ask(path.replace('N', String(most)))
      const text = await response.text()
      expect([response.status, idsIn(text)]).toEqual([200, expected.slice(0, most)])
      expectSmallReads()
      for (const size of [most + 1, 1000]) {
        const refused = await ask(path.replace('N', String(size)))
        expect([refused.status, await refused.json()]).toEqual([400, { page_size: [TOO_LONG] }])
        expectSmallReads()
      }
    })

  for (const [options, formats] of splitRows(2, ['json', 'csv']))
    it.each(formats)(
      'a collection has as many as fit into 8 MB, and a link to the next: f=%s',
      options,
      async (format) => {
        const found: number[] = []
        const path = `${OGC_EVENTS}?limit=1000&f=${format}&filter=id BETWEEN ${first} AND ${2 * first}`
        for (let next: string | undefined = path; next !== undefined; ) {
          const response: Response = await ask(next)
          const ids = idsIn(await textOf(response))
          found.push(...ids)
          expect([response.status, response.headers.get('OGC-NumberMatched')]).toEqual([200, String(WIDE.events)])
          expect(ids).toHaveLength(Math.min(most, WIDE.events - found.length + ids.length))
          expectSmallReads()
          next = /<([^>]*)>; rel="next"/.exec(response.headers.get('Link') ?? '')?.[1]
        }
        expect(found).toEqual(expected)
      },
    )

  for (const [options, rows] of splitRows<[string, number]>(4, [
    [`format=geojson&${IN_SERIES}`, 0],
    [`format=csv&${IN_SERIES}`, 0],
    [`format=ndjson&consistent=true&${IN_SERIES}`, 0],
    [`format=csv&after=${first + 99}&${IN_SERIES}`, 100],
    [`format=csv&ordering=timestamp_start&${IN_SERIES}`, 0],
    [`format=csv&ordering=timestamp_start&after=99,${first + 99}&${IN_SERIES}`, 100],
    [`format=geojson&near=0,1&radius=20000000&ordering=distance&${IN_SERIES}`, 0],
  ]))
    it.each(rows)('page_size=all&%s has all events in order', options, async (query, from) => {
      const response = await ask(`${EVENTS}?page_size=all&${query}`)
      expect([response.status, idsIn(await textOf(response))]).toEqual([200, expected.slice(from)])
      expectSmallReads()
    })

  it('a page without long events takes one round trip, also if all are longer than usual', async () => {
    const body = await (await ask(`${EVENTS}?page_size=200&${IN_SERIES}`)).json<{ results: { id: number }[] }>()
    expect(body.results.map(({ id }) => id)).toEqual(expected.slice(0, 200))
    expect(reads.filter((bytes) => bytes > 1_000_000)).toHaveLength(1)
  })

  it('a page with a few long events among short ones has them all', async () => {
    const path = `${EVENTS}?page_size=1000&id__lt=${first + 5}&ordering=-id`
    const { results } = await (await ask(path)).json<{ results: { id: number; properties: { value: string } }[] }>()
    expect(results.slice(0, 6).map(({ id }) => id)).toEqual([...expected.slice(0, 5).reverse(), 30])
    expect(results.slice(0, 5).map(({ properties }) => properties.value.length)).toEqual(
      new Array(5).fill(WIDE.characters),
    )
    expect(reads.length).toBe(2)
  })

  it('such a page is read again if the data changes before its long events are read', async () => {
    onRead = () => {}
    const path = `${EVENTS}?page_size=1000&id__lt=${first + 5}&ordering=-id&fields=id`
    await ask(path)
    reads.length = 0
    onRead = async () => {
      if (reads.length === 1) await env.DB.prepare(RAISE_AT_ONCE).run()
    }
    const response = await send(path, { vars: { ...all.vars, DB } })
    expect([response.status, reads.length, response.headers.get('ETag')]).toEqual([200, 4, expect.any(String)])
    await response.text()
  })

  it('consistent=true breaks off if the data changes', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const response = await ask(`${EVENTS}?page_size=all&${IN_SERIES}&format=csv&consistent=true`)
    await env.DB.prepare(RAISE_AT_ONCE).run()
    await expect(textOf(response)).rejects.toThrow()
    log.mockRestore()
  })

  it('page_size=all continues without deleted events', async () => {
    const response = await ask(`${EVENTS}?page_size=all&${IN_SERIES}&format=geojson`)
    await env.DB.prepare('UPDATE event SET id = id + 5000 WHERE id = ?')
      .bind(first + 570)
      .run()
    const { features, numberReturned, numberMatched } = JSON.parse(await textOf(response))
    await env.DB.prepare('UPDATE event SET id = id - 5000 WHERE id = ?')
      .bind(first + 5570)
      .run()
    expect([features.length, numberReturned, numberMatched]).toEqual([599, 599, 600])
  })

  it('a post of their external ids reads the same number of bytes at a time', async () => {
    await env.DB.prepare('UPDATE event SET external_id = id WHERE id >= ?').bind(String(first)).run()
    const series = await env.DB.prepare('SELECT event_series_id FROM event WHERE id = ?')
      .bind(first)
      .first('event_series_id')
    // 300 of them have more text than one read.
    const posted = expected.slice(0, 300)
    const items = posted.map((id) => ({ external_id: String(id), event_series: series, category: 'named' }))
    const body = JSON.stringify(items.map((properties) => ({ type: 'Feature', properties })))
    const { headers = {}, vars = {} } = await withKey('all')
    const sent = { method: 'POST', body, headers: { ...headers, 'Content-Type': 'application/json' }, vars }
    const response = await ask(EVENTS, sent)
    expect([response.status, await response.json()]).toMatchObject([200, { created: 0, changed: posted.length }])
    expectSmallReads()
    const all = `${EVENTS}?page_size=all&format=csv&id__gte=${first}&id__lt=${first + posted.length}`
    expect(idsIn(await textOf(await ask(all)))).toEqual(posted)
  })

  it('HEAD has the status of the page, and no body', async () => {
    for (const [size, status] of [
      [200, 200],
      [1000, 400],
      ['all&format=csv', 200],
    ] as const) {
      const response = await ask(`${EVENTS}?page_size=${size}&${IN_SERIES}`, { method: 'HEAD' })
      expect([size, response.status, await response.text()]).toEqual([size, status, ''])
      if (status === 200) expect(response.headers.get('X-Total-Count')).toBe('600')
    }
  })

  it('a long page in the browser is a 400', async () => {
    const path = `${EVENTS}?page_size=1000&${IN_SERIES}`
    const response = await ask(path, { headers: { Accept: 'text/html' } })
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(TOO_LONG)])
    const fewer = await ask(path.replace('1000', '200'), { headers: { Accept: 'text/html' } })
    expect(fewer.status).toBe(200)
    await fewer.text()
  })

  it('explain=true of a long page is a 400', async () => {
    const response = await ask(`${EVENTS}?page_size=1000&${IN_SERIES}&explain=true`, { vars: { SHOW_COST: 'true' } })
    expect([response.status, await response.json()]).toEqual([400, { page_size: [TOO_LONG] }])
  })
})

describe('regular expressions on texts of usual length', () => {
  it.each([
    [`${EVENTS}?category__regex=.`, 2],
    [`${EVENTS}?category__regex=.&event_series__name__iregex=.&object_type__model__regex=.`, 2],
    [`${EVENTS}summary/?category__regex=.`, 2],
    ['/api/v3/eventseries/?name__regex=.', 2],
  ])('%s takes %i round trips', async (path, trips) => {
    await get(path, all)
    const response = await ask(path)
    expect([response.status, reads.length]).toEqual([200, trips])
    await response.text()
  })
})

describe('300 series with descriptions and statistics of 10,000 characters of 3 bytes', EXHAUSTIVE, () => {
  const TEXTS = 300
  const from = 3 * first
  const texts = Array.from({ length: TEXTS }, (_, i) => 1000 + i)
  const path = `${EVENTS}?page_size=1000&id__gte=${from}&id__lt=${4 * first}&include=series`

  beforeAll(async () => {
    const text = ofLength(10_000, '界')
    await env.DB.prepare(
      `INSERT INTO event_series (id, uuid, name, name_folded, description, observation_type_id, statistic, color,
        access_modifier, created)
      SELECT value, '90000000-0000-4000-8000-00000000' || value, value, '', ${text}, 1, ${text}, '#336699', 0, 0
      FROM json_each('${JSON.stringify(texts)}')`,
    ).run()
    await pour(texts.map((_, i) => ({ id: from + i, start: i, coordinates: [50, 50, 0] as const })))
    await env.DB.prepare(`UPDATE event SET event_series_id = 1000 + id % ${first} WHERE id >= ${from}`).run()
    await pour([])
  })

  it('a page includes every series with its complete texts, and more than 8 MB of them are a 400', async () => {
    // A series has 60 KB of texts.
    const response = await ask(path.replace('1000', '133'))
    const body = JSON.parse(await textOf(response))
    expectSmallReads()
    expect([response.status, Object.keys(body)]).toEqual([200, ['count', 'next', 'previous', 'results', 'series']])
    expect([body.count, body.results.length]).toEqual([TEXTS, 133])
    expect(body.series.map(({ id }: { id: number }) => id)).toEqual(texts.slice(0, 133))
    for (const { description, statistic } of body.series)
      expect([description.length, statistic.length]).toEqual([10_000, 10_000])
    for (const Accept of ['application/json', 'text/html'])
      for (const method of ['GET', 'HEAD']) {
        const refused = await ask(path, { method, headers: { Accept } })
        const text = await refused.text()
        expect([refused.status, method === 'HEAD' || text.includes(TOO_LONG)]).toEqual([400, true])
        expectSmallReads()
      }
  })

  it.each(['/api/v3/eventseries/', '/api/v4/eventseries/'])('%s', async (list) => {
    const body = JSON.parse(await textOf(await ask(`${list}?page_size=100`)))
    expectSmallReads()
    expect(body.results).toHaveLength(100)
    const refused = await ask(`${list}?page_size=1000`)
    expect([refused.status, (await refused.text()).includes(TOO_LONG)]).toEqual([400, true])
  })

  it('the collection of series has as many as fit into 8 MB, and a link to the next', async () => {
    const found: string[] = []
    for (let next: string | null = '/ogc/collections/eventseries/items?limit=1000'; next !== null; ) {
      const { features, links } = JSON.parse(await textOf(await ask(next)))
      found.push(...features.map(({ properties }: { properties: { name: string } }) => properties.name))
      expectSmallReads()
      next = links.find(({ rel }: { rel: string }) => rel === 'next')?.href ?? null
    }
    expect(found.filter((name) => /^\d{4}$/.test(name)).map(Number)).toEqual(texts)
  })

  it('all of them are sent in any order', async () => {
    for (const ordering of ['id', '-name']) {
      const text = await textOf(await ask(`/api/v4/eventseries/?page_size=all&format=ndjson&ordering=${ordering}`))
      expectSmallReads()
      const lines = text.trim().split('\n')
      const found = lines.map((line) => JSON.parse(line)).filter(({ description }) => description.length === 10_000)
      const names = found.map(({ name, statistic }) => (statistic.length === 10_000 ? Number(name) : 0))
      expect(names).toEqual(ordering === 'id' ? texts : texts.toReversed())
    }
  })
})

describe('60 events of 290,000 characters, as in a database of an earlier version', () => {
  const [id, characters] = [4 * first, 290_000]
  const path = `${EVENTS}?id__range=${id},${id + 59}`
  const ids = Array.from({ length: 60 }, (_, i) => id + i)

  beforeAll(async () => {
    await pour(ids.map((each, i) => ({ id: each, start: i, coordinates: [0, i / 10, 0] as const })))
    await env.DB.prepare(
      `UPDATE event SET value = id || ${ofLength(characters, 'z')} WHERE id BETWEEN ${id} AND ${id + 59}`,
    ).run()
  })

  const idsOf = (text: string): number[] =>
    [...text.matchAll(/(\d{7})(z+)/g)].map(([, found, letters]) =>
      letters?.length === characters ? Number(found) : -1,
    )

  it.each(['json', 'csv', 'geojson'])('are a page of 27, and no page of 28: %s', async (format) => {
    const response = await ask(`${path}&page_size=27&format=${format}`)
    expect([response.status, idsOf(await textOf(response))]).toEqual([200, ids.slice(0, 27)])
    expectSmallReads()
    expect((await ask(`${path}&page_size=28&format=${format}`)).status).toBe(400)
  })

  it('are read by next', async () => {
    const found: number[] = []
    for (let next: string | null = `${path}&page_size=25`; next !== null; ) {
      const text: string = await textOf(await ask(next))
      found.push(...idsOf(text))
      next = JSON.parse(text).next
    }
    expect(found).toEqual(ids)
  })

  for (const [options, rows] of splitRows<[string, number]>(3, [
    ['', 0],
    [`&after=${id + 39}`, 40],
    ['&ordering=timestamp_start', 0],
    [`&ordering=timestamp_start&after=39,${id + 39}`, 40],
    ['&ordering=-timestamp_start', -60],
    ['&near=0,0&radius=20000000&ordering=distance', 0],
    ['&ordering=value', 0],
  ]))
    it.each(rows)('are a whole result in order: %s', options, async (query, from) => {
      const response = await ask(`${path}&page_size=all&format=csv${query}`)
      const expected = from < 0 ? ids.toReversed() : ids.slice(from)
      expect([response.status, idsOf(await textOf(response))]).toEqual([200, expected])
      expectSmallReads()
    })

  it('are deleted together', async () => {
    const uuid = `${SERIES[0].prefix}000000-0000-4000-8000-000000000000`
    const { headers = {}, vars = {} } = await withKey('all')
    const list = `/api/v4/eventseries/${uuid}/events/?value__startswith=40000`
    const response = await ask(list, { method: 'DELETE', headers, vars })
    expect([response.status, await response.json()]).toEqual([200, { deleted: 60 }])
    expect(Math.max(...reads)).toBeLessThan(100_000)
  })
})

describe('10,000 events of 10,000 characters', EXHAUSTIVE, () => {
  beforeAll(async () => {
    const [x, y] = [7, 7]
    await pour(Array.from({ length: MANY.events }, (_, i) => ({ id: 5 * first + i, start: i, coordinates: [x, y, 0] })))
    await env.DB.prepare("UPDATE event SET value = replace(hex(zeroblob(? / 2)), '0', 'y') WHERE id >= ?")
      .bind(String(MANY.characters), String(5 * first))
      .run()
  })

  it('a page of all is a 400', async () => {
    const response = await ask(`${EVENTS}?page_size=${MAX_PAGE_SIZE}&id__gte=${5 * first}`)
    expect([response.status, await response.json()]).toEqual([400, { page_size: [TOO_LONG] }])
    expectSmallReads()
  })

  it('all are sent in few reads', async () => {
    const response = await ask(`${EVENTS}?page_size=all&id__gte=${5 * first}&format=csv`)
    let [bytes, values] = [0, 0]
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length
      expect(chunk.length).toBeLessThan(MAX_BYTES)
      for (let i = 0; i < chunk.length; i++) if (chunk[i] === 0x79 && chunk[i - 1] !== 0x79) values += 1
    }
    expect(bytes).toBeGreaterThan(MANY.events * MANY.characters)
    expect(values).toBeGreaterThanOrEqual(MANY.events)
    expect(Math.max(...reads)).toBeLessThan(MAX_BYTES + 1_500_000)
    expect(reads.length).toBeLessThan(25)
  })
})

describe('events of usual length', () => {
  it.each([[10], [100], [1000], [MAX_PAGE_SIZE]])('a page of %i takes no additional round trips', async (size) => {
    const path = `${EVENTS}?page_size=${size}&id__lt=${first}`
    await get(path, all)
    const response = await ask(path)
    expect([response.status, reads.length]).toEqual([200, 1])
    await response.text()
  })
})
