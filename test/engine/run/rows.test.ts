import { env } from 'cloudflare:workers'
import { Buffer } from 'node:buffer'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { MAX_BYTES } from '../../../src/engine/limits.ts'
import { MAX_PAGE_SIZE } from '../../../src/resource.ts'
import { databaseWith } from '../../isolates.ts'
import { RAISE_AT_ONCE } from '../../revisions.ts'
import { get, load, type Options, send, withKey } from '../../service.ts'
import { EXHAUSTIVE, splitRows } from '../../tags.ts'
import { EVENTS, foundation, makeEvents, pour, seenBy } from '../world.ts'

vi.hoisted(() => vi.resetModules())

/** The longest values: of 3 bytes a character, so that a page has 30 MB, and of one byte in the largest page. */
const WIDE = { events: 1000, characters: 10_000 }
const MANY = { events: 10_000, characters: 10_000 }

const reads: number[] = []
let onRead = () => {}
/** The real database. It notes the bytes of each round trip. */
const DB = databaseWith(async (real) => {
  const answers = await real()
  reads.push(Buffer.byteLength(JSON.stringify(answers.map(({ results }) => results))))
  onRead()
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

describe('1,000 events of 10,000 characters of 3 bytes', () => {
  for (const [options, rows] of splitRows(3, [
    [`${EVENTS}?page_size=1000&${IN_SERIES}`],
    [`${EVENTS}?page_size=1000&${IN_SERIES}&include=series`],
    [`${EVENTS}?page_size=1000&${IN_SERIES}&ordering=timestamp_start`],
    [`${EVENTS}?page_size=1000&${IN_SERIES}&category__regex=.`],
    [`${EVENTS}?page_size=1000&geom_within=POLYGON((-1 -9,120 -9,120 9,-1 30,-1 -9))&${IN_SERIES}`],
    [`${EVENTS}?page_size=1000&${IN_SERIES}&format=geojson`],
    [`${EVENTS}?page_size=1000&${IN_SERIES}&format=csv`],
    [`${EVENTS}?page_size=all&${IN_SERIES}&format=geojson`],
    [`${EVENTS}?page_size=all&${IN_SERIES}&format=csv`],
    [`${EVENTS}?page_size=all&${IN_SERIES}&format=ndjson&consistent=true`],
    [`/ogc/collections/events/items?limit=1000&filter=id BETWEEN ${first} AND ${2 * first}`],
  ]))
    it.each(rows)('%s', options, async (path) => {
      const response = await ask(path)
      const text = await textOf(response)
      expect([response.status, idsIn(text)]).toEqual([200, expected])
      expectSmallReads()
      if (/csv|ndjson/.test(path)) return
      const body = JSON.parse(text)
      expect((body.results ?? body.features).length).toBe(WIDE.events)
      expect(body.count ?? body.numberReturned).toBe(WIDE.events)
      expect(body.series?.length ?? 1).toBe(1)
      expect(response.headers.get('Content-Type')).toMatch(/^application\/(geo\+)?json/)
    })

  it('a page within 8 MB takes no additional round trip', async () => {
    const body = await (await ask(`${EVENTS}?page_size=200&${IN_SERIES}`)).json<{ results: { id: number }[] }>()
    expect(body.results.map(({ id }) => id)).toEqual(expected.slice(0, 200))
    expect(reads.filter((bytes) => bytes > 1_000_000)).toHaveLength(1)
  })

  it('consistent=true breaks off if the data changes', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const response = await ask(`${EVENTS}?page_size=all&${IN_SERIES}&format=csv&consistent=true`)
    await env.DB.prepare(RAISE_AT_ONCE).run()
    await expect(textOf(response)).rejects.toThrow()
    log.mockRestore()
  })

  it.each(['all', '1000'])('page_size=%s continues without deleted events', async (size) => {
    const response = await ask(`${EVENTS}?page_size=${size}&${IN_SERIES}&format=geojson`)
    await env.DB.prepare('UPDATE event SET id = id + 5000 WHERE id = ?')
      .bind(first + 970)
      .run()
    const { features, numberReturned, numberMatched } = JSON.parse(await textOf(response))
    await env.DB.prepare('UPDATE event SET id = id - 5000 WHERE id = ?')
      .bind(first + 5970)
      .run()
    expect([features.length, numberReturned, numberMatched]).toEqual([999, 999, 1000])
  })

  it('a post of their external ids reads the same number of bytes at a time', async () => {
    await env.DB.prepare('UPDATE event SET external_id = id WHERE id >= ?').bind(String(first)).run()
    const series = await env.DB.prepare('SELECT event_series_id FROM event WHERE id = ?')
      .bind(first)
      .first('event_series_id')
    const items = expected.map((id) => ({ external_id: String(id), event_series: series, category: 'named' }))
    const body = JSON.stringify(items.map((properties) => ({ type: 'Feature', properties })))
    const { headers = {}, vars = {} } = await withKey('all')
    const sent = { method: 'POST', body, headers: { ...headers, 'Content-Type': 'application/json' }, vars }
    const response = await ask(EVENTS, sent)
    expect([response.status, await response.json()]).toMatchObject([200, { created: 0, changed: WIDE.events }])
    expectSmallReads()
    expect(idsIn(await textOf(await ask(`${EVENTS}?page_size=1000&${IN_SERIES}`)))).toEqual(expected)
  })

  it('HEAD has no body', async () => {
    const response = await ask(`${EVENTS}?page_size=1000&${IN_SERIES}`, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  it.each([
    [`${EVENTS}?page_size=1000&${IN_SERIES}`, 'page_size'],
    [`/ogc/collections/events/items?limit=1000&filter=id>=${first}`, 'limit'],
  ])('a page in the browser is a 400 that names the parameter: %s', async (path, parameter) => {
    const response = await ask(path, { headers: { Accept: 'text/html' } })
    const message = 'This page has more than 8 MB of text, too much for a browser. Enter a smaller number'
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(message)])
    expect(path).toContain(`${parameter}=`)
    const fewer = await ask(path.replace('1000', '200'), { headers: { Accept: 'text/html' } })
    expect(fewer.status).toBe(200)
    await fewer.text()
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

  it('a page includes every series with its complete texts', async () => {
    const response = await ask(path)
    const body = JSON.parse(await textOf(response))
    expectSmallReads()
    expect([response.status, Object.keys(body)]).toEqual([200, ['count', 'next', 'previous', 'results', 'series']])
    expect([body.count, body.results.length]).toEqual([TEXTS, TEXTS])
    expect(body.series.map(({ id }: { id: number }) => id)).toEqual(texts)
    for (const { description, statistic } of body.series)
      expect([description.length, statistic.length]).toEqual([10_000, 10_000])
  })

  it('a page continues without a series that is hidden meanwhile', async () => {
    const access = (modifier: number) =>
      env.DB.prepare(`UPDATE event_series SET access_modifier = ${modifier} WHERE id = 1299`).run()
    const response = await ask(path, { vars: { ANONYMOUS_LEVEL: 'Public' } })
    await access(300)
    const { series } = JSON.parse(await textOf(response))
    await access(0)
    expect(series.map(({ id }: { id: number }) => id)).toEqual(texts.slice(0, -1))
  })

  it('a page with them has no body for HEAD, and is a 400 in a browser', async () => {
    const response = await ask(path, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
    const shown = await ask(path, { headers: { Accept: 'text/html' } })
    expect([shown.status, (await shown.text()).includes('This page has more than 8 MB of text')]).toEqual([400, true])
  })

  it.each([
    ['/api/v3/eventseries/?page_size=1000'],
    ['/api/v4/eventseries/?page_size=1000'],
    ['/ogc/collections/eventseries/items?limit=1000'],
  ])('%s', async (list) => {
    const body = JSON.parse(await textOf(await ask(list)))
    expectSmallReads()
    expect((body.results ?? body.features).length).toBeGreaterThanOrEqual(TEXTS)
  })
})

it('texts over the limit, as in a database of an earlier version, are read like others', async () => {
  const [id, characters] = [4 * first, 290_000]
  await pour(Array.from({ length: 50 }, (_, i) => ({ id: id + i, start: i, coordinates: [1, 80, 0] as const })))
  await env.DB.prepare(
    `UPDATE event SET value = ${ofLength(characters, 'z')} WHERE id BETWEEN ${id} AND ${id + 49}`,
  ).run()
  for (const format of ['json', 'csv', 'geojson']) {
    const text = await textOf(await ask(`${EVENTS}?page_size=50&id__range=${id},${id + 49}&format=${format}`))
    expect([format, text.split('z'.repeat(characters)).length - 1]).toEqual([format, 50])
    expectSmallReads()
  }
})

describe('10,000 events of 10,000 characters', EXHAUSTIVE, () => {
  beforeAll(async () => {
    const [x, y] = [7, 7]
    await pour(Array.from({ length: MANY.events }, (_, i) => ({ id: 5 * first + i, start: i, coordinates: [x, y, 0] })))
    await env.DB.prepare("UPDATE event SET value = replace(hex(zeroblob(? / 2)), '0', 'y') WHERE id >= ?")
      .bind(String(MANY.characters), String(5 * first))
      .run()
  })

  it.each([
    `${EVENTS}?page_size=${MAX_PAGE_SIZE}&id__gte=${5 * first}`,
    `${EVENTS}?page_size=all&id__gte=${5 * first}&format=csv`,
  ])('%s', async (path) => {
    const response = await ask(path)
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
