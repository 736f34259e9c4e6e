import { env } from 'cloudflare:workers'
import { Buffer } from 'node:buffer'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { MAX_BYTES } from '../../../src/engine/sql/columns.ts'
import { WEB_MERCATOR } from '../../../src/ogc/tileMatrix.ts'
import { MAX_PAGE_SIZE } from '../../../src/resource.ts'
import { tileAt } from '../../ogc/places.ts'
import { RAISE_AT_ONCE } from '../../revisions.ts'
import { get, load, type Options, send, withKey } from '../../service.ts'
import { EXHAUSTIVE, splitRows } from '../../tags.ts'
import { EVENTS, foundation, makeEvents, pour, seenBy } from '../world.ts'

vi.hoisted(() => vi.resetModules())

/**
 * LONGEST exceeds the limit of a write, as events of an older version may. MANY has the longest values that a write
 * takes.
 */
const LONGEST = { events: 180, characters: 290_000 }
const MANY = { events: 10_000, characters: 10_000 }

const reads: number[] = []
let onRead = () => {}
/** The real database. It notes the bytes of each round trip. */
const DB = {
  withSession: (start?: string) => {
    const session = env.DB.withSession(start)
    return {
      prepare: (text: string) => session.prepare(text),
      getBookmark: () => session.getBookmark(),
      batch: async (statements: D1PreparedStatement[]) => {
        const answers = await session.batch(statements)
        reads.push(Buffer.byteLength(JSON.stringify(answers.map(({ results }) => results))))
        onRead()
        return answers
      },
    }
  },
} as unknown as D1Database

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
beforeAll(async () => {
  await load([...foundation, ...makeEvents(30, 1)])
  const long = Array.from({ length: LONGEST.events }, (_, i) => ({
    ...{ id: first + i, start: i, coordinates: [i / 2, 1, 0] as [number, number, number] },
  }))
  await pour(long)
  await env.DB.prepare("UPDATE event SET value = id || replace(hex(zeroblob(? / 2)), '0', 'x') WHERE id >= ?")
    .bind(String(LONGEST.characters), String(first))
    .run()
})

const IN_SERIES = `id__gte=${first}`
/** Reads the ids at the start of all values, in an answer of any format. It expects each value to be complete. */
const idsIn = (text: string): number[] =>
  [...text.matchAll(/(\d{7})(x+)/g)].map(([, id, value]) => (value?.length === LONGEST.characters ? Number(id) : -1))
const expected = Array.from({ length: LONGEST.events }, (_, i) => first + i)

describe('180 events of 290,000 characters', () => {
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
    [`/ogc/collections/events/items?limit=1000&filter=id>=${first}`],
  ]))
    it.each(rows)('%s', options, async (path) => {
      const response = await ask(path)
      const text = await textOf(response)
      expect([response.status, idsIn(text)]).toEqual([200, expected])
      expect(Math.max(...reads)).toBeLessThan(MAX_BYTES + 100_000)
      if (/csv|ndjson/.test(path)) return
      const body = JSON.parse(text)
      expect((body.results ?? body.features).length).toBe(LONGEST.events)
      expect(body.count ?? body.numberReturned).toBe(LONGEST.events)
      expect(body.series?.length ?? 1).toBe(1)
      expect(response.headers.get('Content-Type')).toMatch(/^application\/(geo\+)?json/)
    })

  it('a page within 8 MB takes one more round trip and has one state', async () => {
    const body = await (await ask(`${EVENTS}?page_size=20&${IN_SERIES}`)).json<{ results: { id: number }[] }>()
    expect(body.results.map(({ id }) => id)).toEqual(expected.slice(0, 20))
    expect(reads.filter((bytes) => bytes > 1_000_000)).toHaveLength(1)
  })

  it.each([
    `${EVENTS}?page_size=1000&${IN_SERIES}`,
    `${EVENTS}?page_size=1000&${IN_SERIES}&format=csv`,
    `${EVENTS}?page_size=all&${IN_SERIES}&format=csv&consistent=true`,
  ])('%s breaks off if the data changes', async (path) => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const response = await ask(path)
    await env.DB.prepare(RAISE_AT_ONCE).run()
    await expect(textOf(response)).rejects.toThrow()
    log.mockRestore()
  })

  it('a whole result continues without deleted events', async () => {
    const response = await ask(`${EVENTS}?page_size=all&${IN_SERIES}&format=geojson`)
    await env.DB.prepare('UPDATE event SET id = id + 5000 WHERE id = ?')
      .bind(first + 170)
      .run()
    const { features, numberReturned, numberMatched } = JSON.parse(await textOf(response))
    await env.DB.prepare('UPDATE event SET id = id - 5000 WHERE id = ?')
      .bind(first + 5170)
      .run()
    expect([features.length, numberReturned, numberMatched]).toEqual([179, 179, 180])
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
    expect([response.status, await response.json()]).toMatchObject([200, { created: 0, changed: LONGEST.events }])
    expect(Math.max(...reads)).toBeLessThan(MAX_BYTES + 100_000)
    expect(idsIn(await textOf(await ask(`${EVENTS}?page_size=1000&${IN_SERIES}`)))).toEqual(expected)
  })

  it('HEAD has no body', async () => {
    const response = await ask(`${EVENTS}?page_size=1000&${IN_SERIES}`, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
  })

  it.each([
    [`${EVENTS}?page_size=1000&${IN_SERIES}`, 'page_size'],
    [`/ogc/collections/events/items?limit=1000&filter=id>=${first}`, 'limit'],
  ])('a page in the browser is a 400 that names the largest page: %s', async (path, parameter) => {
    const response = await ask(path, { headers: { Accept: 'text/html' } })
    const message =
      'This page has 53 MB of text, too much for a browser. Enter at most 27, or read it with format=json.'
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(message)])
    expect(path).toContain(`${parameter}=`)
    const fewer = await ask(path.replace('1000', '27'), { headers: { Accept: 'text/html' } })
    expect(fewer.status).toBe(200)
    await fewer.text()
  })
})

describe('regular expressions on texts of usual length', () => {
  it.each([
    [`${EVENTS}?category__regex=.`, 2],
    [`${EVENTS}?category__regex=.&event_series__name__iregex=.&object_type__model__regex=.`, 2],
    [`${EVENTS}summary/?category__regex=.`, 1], // the isolate knows the texts of the list
    ['/api/v3/eventseries/?name__regex=.', 2],
  ])('%s takes %i round trips', async (path, trips) => {
    await get(path, all)
    const response = await ask(path)
    expect([response.status, reads.length]).toEqual([200, trips])
    await response.text()
  })
})

describe('9 events whose values and series names have 290,000 characters of 3 bytes', () => {
  const wide = 2 * first
  const ofWide = Array.from({ length: 9 }, (_, i) => wide + i)
  const LONG_TEXT = `replace(hex(zeroblob(${LONGEST.characters / 2})), '0', '界')`

  beforeAll(async () => {
    await pour(ofWide.map((id, i) => ({ id, start: i, coordinates: [1, 80, 0] as const })))
    await env.DB.batch(
      [
        `INSERT INTO event_series (id, uuid, name, name_folded, description, observation_type_id, statistic, color,
            access_modifier, created)
          SELECT 900 + value, '90000000-0000-4000-8000-00000000090' || value, ${LONG_TEXT}, '', '', 1, 'raw', '#336699', 0, 0
          FROM json_each('[0,1,2,3,4,5,6,7,8]')`,
        `UPDATE event SET value = ${LONG_TEXT}, event_series_id = 900 + id - ${wide} WHERE id IN (${ofWide})`,
      ].map((statement) => env.DB.prepare(statement)),
    )
    await pour([])
    return async () => {
      await env.DB.batch(
        [`DELETE FROM event WHERE id IN (${ofWide})`, 'DELETE FROM event_series WHERE id BETWEEN 900 AND 908'].map(
          (statement) => env.DB.prepare(statement),
        ),
      )
      await pour([])
    }
  })

  it.each(
    [3, 4, 9].flatMap((size) => [
      [`${EVENTS}?page_size=${size}&id__range=${wide},${wide + 8}`, size],
      [`${EVENTS}?page_size=${size}&id__range=${wide},${wide + 8}&include=series`, size],
      [`${EVENTS}?page_size=${size}&id__range=${wide},${wide + 8}&format=geojson`, size],
      [`${EVENTS}?page_size=${size}&id__range=${wide},${wide + 8}&format=csv`, size],
      [`/ogc/collections/events/items?limit=${size}&filter=id BETWEEN ${wide} AND ${wide + 8}`, size],
    ]),
  )('%s', async (path, size) => {
    const response = await ask(String(path))
    const wholes = (await textOf(response)).split('界'.repeat(LONGEST.characters)).length - 1
    expect(Math.max(...reads)).toBeLessThan(MAX_BYTES + 100_000)
    expect([response.status, wholes % Number(size)]).toEqual([200, 0])
    expect(wholes).toBeGreaterThanOrEqual(Number(size))
  })
})

describe('150 series, categories and models of 290,000 characters', EXHAUSTIVE, () => {
  const TEXTS = 150
  const [long, short] = [3 * first, 4 * first]
  const texts = Array.from({ length: TEXTS }, (_, i) => 1000 + i)
  const ofLength = (length: number, letter: string) => `replace(hex(zeroblob(${length / 2})), '0', '${letter}')`
  const SUMMARY = `${EVENTS}summary/?facets=category,event_series,object_type__model`
  const { level, row, column } = tileAt(WEB_MERCATOR, 4, 50, 50)
  const TILE = `/ogc/collections/events/tiles/${WEB_MERCATOR.id}/${level}/${row}/${column}`

  beforeAll(async () => {
    const from = `FROM json_each('${JSON.stringify(texts)}')`
    await env.DB.batch(
      [
        `INSERT INTO event_series (id, uuid, name, name_folded, description, observation_type_id, statistic, color,
            access_modifier, created)
          SELECT value, '90000000-0000-4000-8000-00000000' || value, value || ${ofLength(140_000, 'n')}, '',
            ${ofLength(150_000, 'd')}, 1, 'raw', '#336699', 0, 0 ${from}`,
        ...['category', 'object_model'].map(
          (table) =>
            `INSERT INTO ${table} (id, text, folded) SELECT value, value || ${ofLength(290_000, 't')}, '' ${from}`,
        ),
      ].map((statement) => env.DB.prepare(statement)),
    )
    const eventsFrom = (id: number) =>
      texts.map((_, i) => ({ id: id + i, start: i, coordinates: [50 + i / 100, 50, 0] as const }))
    await pour([...eventsFrom(long), ...eventsFrom(short)])
    await env.DB.batch([
      env.DB.prepare(`UPDATE event SET event_series_id = 1000 + id % ${first} WHERE id >= ${long}`),
      env.DB.prepare(`UPDATE event SET category_id = event_series_id, object_model_id = event_series_id, object_id = 1
        WHERE id >= ${long} AND id < ${short}`),
    ])
    await pour([])
  })

  const isWhole = (text: string, length: number): boolean => text.length === length + 4
  const expectSmallReads = () => expect(Math.max(...reads)).toBeLessThan(MAX_BYTES + 100_000)

  it.each([
    [`${EVENTS}?page_size=1000&id__gte=${short}&include=series`],
    [`${EVENTS}?page_size=1000&id__range=${long},${short - 1}&include=series`],
  ])('%s has every series with its complete texts', async (path) => {
    const response = await ask(path)
    const body = JSON.parse(await textOf(response))
    expectSmallReads()
    expect([response.status, Object.keys(body)]).toEqual([200, ['count', 'next', 'previous', 'results', 'series']])
    expect([body.count, body.results.length]).toEqual([TEXTS, TEXTS])
    expect(body.series.map(({ id }: { id: number }) => id)).toEqual(texts)
    for (const { name, description } of body.series)
      expect([isWhole(name, 140_000), description.length]).toEqual([true, 150_000])
  })

  it('a page of few long series takes two more round trips', async () => {
    const body = await (await ask(`${EVENTS}?page_size=20&id__gte=${short}&include=series`)).json<{
      series: object[]
    }>()
    expect([body.series.length, reads.filter((bytes) => bytes > 1_000_000).length]).toEqual([20, 1])
  })

  it('a page with long series breaks off if the data changes', async () => {
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const response = await ask(`${EVENTS}?page_size=1000&id__gte=${short}&include=series`)
    await env.DB.prepare(RAISE_AT_ONCE).run()
    await expect(textOf(response)).rejects.toThrow()
    log.mockRestore()
  })

  it('a page with long series has no body for HEAD, and is a 400 in a browser', async () => {
    const path = `${EVENTS}?page_size=1000&id__gte=${short}&include=series`
    const response = await ask(path, { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([200, ''])
    const shown = await ask(path, { headers: { Accept: 'text/html' } })
    const message =
      'This page has 44 MB of text, too much for a browser. Enter at most 27, or read it with format=json.'
    expect([shown.status, (await shown.text()).includes(message)]).toEqual([400, true])
  })

  it.each([
    ['/api/v3/eventseries/?page_size=1000'],
    ['/api/v4/eventseries/?page_size=1000'],
    ['/ogc/collections/eventseries/items?limit=1000'],
  ])('%s', async (path) => {
    const body = JSON.parse(await textOf(await ask(path)))
    expectSmallReads()
    expect((body.results ?? body.features).length).toBeGreaterThanOrEqual(TEXTS)
  })

  // Every tenth of the 150 texts has a 9 as its fourth digit.
  it.each([
    ['category__regex=^1..9t', long, 15],
    ['category__iregex=^1..9T', long, 15],
    ['category__iregex=^1..9T&category__istartswith=10', long, 0],
    ['object_type__model__regex=^1..9t', long, 15],
    ['event_series__name__regex=^1..9n', long, 30],
    ['category__regex=^10&object_type__model__regex=^1..9t&event_series__name__iregex=^1.[0-4]9N', long, 5],
    ['category__regex=^9', long, 0],
  ])('%s matches whole texts', async (filter, from, count) => {
    const list = JSON.parse(await textOf(await ask(`${EVENTS}?id__gte=${from}&${filter}&page_size=1`)))
    expectSmallReads()
    const summary = JSON.parse(await textOf(await ask(`${EVENTS}summary/?id__gte=${from}&${filter}`)))
    expectSmallReads()
    const tile = await ask(`${TILE}?id__gte=${from}&${filter}`)
    const { events } = new VectorTile(new PbfReader(await tile.arrayBuffer())).layers
    expectSmallReads()
    expect([list.count, summary.count, events?.length ?? 0]).toEqual([count, count, count])
    const ogc = JSON.parse(
      await textOf(await ask(`/ogc/collections/events/items?filter=id>=${from}&${filter}&limit=1`)),
    )
    expectSmallReads()
    expect(ogc.numberMatched).toBe(count)
  })

  it.each(['/api/v3/eventseries/', '/api/v4/eventseries/'])('%s has the series whose name matches', async (path) => {
    const body = JSON.parse(await textOf(await ask(`${path}?name__regex=^1..9n&page_size=1`)))
    expectSmallReads()
    expect(body.count).toBe(15)
  })

  it.each([[SUMMARY], [`${SUMMARY}&id__gte=${long}`]])(
    '%s has as many entries as the size limit allows',
    async (path) => {
      const body = JSON.parse(await textOf(await ask(path)))
      expectSmallReads()
      const { category, event_series, object_type__model } = body.facets
      for (const [{ entries, more }, length] of [
        [category, 290_000],
        [event_series, 140_000],
        [object_type__model, 290_000],
      ]) {
        const named = entries.map(({ value, name }: Record<string, string>) => value ?? name)
        const wholes = named.filter((text: string) => isWhole(text, length))
        expect(wholes.length).toBe(Math.floor(MAX_BYTES / 3 / length))
        expect(more + wholes.length).toBeGreaterThanOrEqual(TEXTS)
      }
    },
  )
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
    `${EVENTS}?page_size=${MAX_PAGE_SIZE}&id__gte=${5 * first}&format=geojson`,
    `${EVENTS}?page_size=all&id__gte=${5 * first}&format=csv`,
    `/ogc/collections/events/items?limit=${MAX_PAGE_SIZE}&filter=id>=${5 * first}`,
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
