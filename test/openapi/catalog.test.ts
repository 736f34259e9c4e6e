import { createExecutionContext } from 'cloudflare:test'
import { beforeAll, describe, expect, it } from 'vitest'
import { serve } from '../../src/app.ts'
import type { Engine } from '../../src/engine/engine.ts'
import type { Metadata } from '../../src/model/types.ts'
import { random } from '../bench/events.ts'
import { fileDatabase } from '../database.ts'
import { eventOf, LEVELS, type Level, NAMES, seriesOf, typeOf } from '../http/writes.ts'
import { databasesWith } from '../oracle/oracle.ts'
import { engineOn, freshPostgres, hasPostgres } from '../postgres/database.ts'
import { rowsOf, TABLES } from '../postgres/rows.ts'
import type { SeriesRecord } from '../records.ts'
import { ORIGIN } from '../service.ts'

const CATALOG = '/catalog.jsonld'

/** This text ends a script, a string and an attribute. It has a control character and a mark that turns the line. */
const HOSTILE = '</script><script>alert(1)</script><!-- "quoted" \'\\ \u202e\u0001 ]]> &amp; \u{1F300}'

const SERIES = 260
const next = random(7)
const levels: readonly Level[] = Array.from({ length: SERIES }, () => NAMES[Math.floor(next() * 4)] ?? 'Hidden')
/** A text that only the series with this id has. */
const secretOf = (id: number) => `secret${id}x`
const metadataOf = (id: number): Metadata => ({
  source: `${secretOf(id)} source`,
  source_url: `https://example.org/${secretOf(id)}`,
  license: id % 3 === 0 ? 'CC-BY-4.0' : `${secretOf(id)} licence`,
  contact: `${secretOf(id)} contact`,
  fields: [{ name: 'attributes__Depth', title: `${secretOf(id)} depth`, type: 'number', unit: 'km' }],
  more: false,
})
const series = levels.map((level, i): SeriesRecord & { readonly metadata: Metadata } => ({
  ...seriesOf(i + 1, level),
  name: `${secretOf(i + 1)} ${i % 10 === 0 ? HOSTILE : ''}`,
  description: i % 2 === 0 ? `${secretOf(i + 1)} ${HOSTILE.repeat(i % 3)}` : '',
  last_modified: 1.6e15 + i,
  metadata: metadataOf(i + 1),
}))
const events = series.filter(({ id }) => id % 5 > 0).map(({ id }) => eventOf(id, id))

const engines = new Map<string, Engine>()
beforeAll(async () => {
  for (const [name, engine] of await databasesWith([typeOf(1), ...series, ...events])) engines.set(name, engine)
})

/** The scripts of data in a page, by type. A parser of HTML ends a script at the first `</script`. */
const scriptsIn = (page: string) =>
  Array.from(page.matchAll(/<script(?: type="([^"]*)")?[^>]*>(.*?)<\/script/gs), ([, type = '', text = '']) => ({
    type,
    text,
  }))
const datasetIn = (page: string) => {
  const [found, ...more] = scriptsIn(page).filter(({ type }) => type === 'application/ld+json')
  expect(more).toEqual([])
  return found && JSON.parse(found.text)
}

const askOf = async (engine: Engine | undefined, path: string, level: Level = 'Public', accept = '*/*') => {
  const request = new Request(ORIGIN + path, { headers: { Accept: accept } })
  const env = { DB: fileDatabase(), STATE_SECONDS: '0', ANONYMOUS_LEVEL: level }
  const response = await serve(() => engine as Engine).fetch(request, env, createExecutionContext())
  return { status: response.status, link: response.headers.get('Link'), text: await response.text() }
}

describe.each(hasPostgres ? ['D1', 'PostgreSQL', 'PostgreSQL with indexes'] : ['D1'])('over %s', (name) => {
  const ask = (path: string, level?: Level, accept?: string) => askOf(engines.get(name), path, level, accept)

  /** Reads all pages of the catalogue. */
  const walk = async (level: Level) => {
    const pages: string[] = []
    for (let path: string | undefined = CATALOG; path !== undefined; ) {
      const { status, link, text } = await ask(path, level)
      expect(status).toBe(200)
      pages.push(text)
      const next: string | undefined = JSON.parse(text)['hydra:view']?.['hydra:next']
      expect(link).toBe(next === undefined ? null : `<${next}>; rel="next"`)
      path = next?.replace(ORIGIN, '')
    }
    return pages
  }

  it.each(NAMES)('the catalogue has each series that the level %s sees, and no word of another one', async (level) => {
    const pages = await walk(level)
    const seen = series.filter(({ access_modifier }) => access_modifier <= LEVELS[level])
    expect(pages).toHaveLength(Math.ceil(seen.length / 100))
    const found = pages.flatMap((page) => JSON.parse(page)['dcat:dataset'])
    expect(found.map((dataset) => dataset['dct:identifier'])).toEqual(seen.map(({ uuid }) => uuid))
    expect(found.map((dataset) => dataset['dct:title'])).toEqual(seen.map((each) => each.name.trim()))
    const words = pages.join().match(/secret\d+x/g) ?? []
    expect(new Set(words)).toEqual(new Set(seen.map(({ id }) => secretOf(id))))
  })

  it.each(NAMES)('only the page of a public series describes a dataset, also for the level %s', async (level) => {
    for (const { id, uuid, access_modifier } of series.slice(0, 40))
      for (const version of ['v3', 'v4']) {
        const { status, text } = await ask(`/api/${version}/eventseries/${uuid}/`, level, 'text/html')
        expect(status).toBe(access_modifier <= LEVELS[level] ? 200 : 404)
        const dataset = datasetIn(text)
        if (access_modifier > 0) expect(dataset).toBeUndefined()
        else expect(dataset).toMatchObject({ '@type': 'Dataset', identifier: uuid, name: expect.any(String) })
        expect(dataset?.name.startsWith(secretOf(id)) ?? true).toBe(true)
      }
  })

  it('the page for each level has the same dataset, and both versions have it', async () => {
    const { uuid = '' } = series.find(({ access_modifier, id }) => access_modifier === 0 && id % 5 > 0) ?? {}
    const addresses = ['v3', 'v4'].map((version) => `/api/${version}/eventseries/${uuid}/`)
    const asked = NAMES.flatMap((level) => addresses.map((path) => ask(path, level, 'text/html')))
    const found = (await Promise.all(asked)).map(({ text }) => datasetIn(text))
    for (const dataset of found) expect(dataset).toEqual(found[0])
    expect(found[0].url).toBe(`${ORIGIN}/api/v3/eventseries/${uuid}/`)
  })

  it('a hostile text ends no script and no attribute', async () => {
    for (const { uuid, access_modifier, name: given } of series.slice(0, 100)) {
      if (access_modifier > 0) continue
      const { text: page } = await ask(`/api/v3/eventseries/${uuid}/`, 'Public', 'text/html')
      expect(scriptsIn(page).map(({ type }) => type)).toEqual([
        'application/ld+json',
        'module',
        'application/json',
        'application/json',
      ])
      expect(page).not.toContain('<script>alert')
      expect(datasetIn(page).name).toBe(given.trim())
    }
  })

  it('a description has 50 to 5000 characters, and no member is empty', async () => {
    const found = (await walk('Public')).flatMap((page) => JSON.parse(page)['dcat:dataset'])
    for (const dataset of found) {
      expect(dataset['dct:description'].length).toBeGreaterThanOrEqual(50)
      expect(dataset['dct:description'].length).toBeLessThanOrEqual(5000)
    }
    expect(JSON.stringify(found)).not.toMatch(/null|undefined|NaN|:""|:\[\]|:\{\}/)
  })

  it('a faulty offset is a 400, and one beyond the last series is an empty page', async () => {
    for (const offset of ['x', '-1', '1.5', '1e3', '9999999999']) {
      const { status, text } = await ask(`${CATALOG}?offset=${offset}`)
      expect([offset, status, JSON.parse(text)]).toEqual([
        offset,
        400,
        { offset: ['Enter a whole number, such as 100.'] },
      ])
    }
    const { link, text } = await ask(`${CATALOG}?offset=100000`)
    expect([link, JSON.parse(text)['dcat:dataset']]).toEqual([null, []])
  })
})

describe.runIf(hasPostgres)('over the views of an owner', () => {
  const catalogOf = async (...sql: readonly string[]) => {
    const engine = engineOn(await freshPostgres(TABLES, rowsOf(6), ...sql))
    const { status, text } = await askOf(engine, CATALOG)
    expect(status).toBe(200)
    return { engine, found: JSON.parse(text)['dcat:dataset'] }
  }
  const [FIRST, SECOND] = [1, 2].map((i) => `00000000-0000-0000-0000-00000000000${i}`)

  it('a series without texts has those that the service knows, and one without a uuid is left out', async () => {
    const free = ['uuid', 'name', 'description', 'access_modifier'].map((name) => `ALTER ${name} DROP NOT NULL`)
    const { engine, found } = await catalogOf(
      `ALTER TABLE event_series ${free}`,
      'UPDATE event_series SET name = NULL, description = NULL WHERE id = 1',
      'UPDATE event_series SET uuid = NULL WHERE id = 2',
    )
    expect(found).toHaveLength(1)
    expect(found[0]).toMatchObject({ 'dct:identifier': FIRST, 'dct:title': FIRST })
    const { text } = await askOf(engine, `/api/v3/eventseries/${FIRST}/`, 'Public', 'text/html')
    expect(datasetIn(text)).toMatchObject({ name: FIRST, description: found[0]['dct:description'] })
  })

  it('a series without an access modifier is hidden, and its page never describes a dataset', async () => {
    const { engine, found } = await catalogOf(
      'ALTER TABLE event_series ALTER access_modifier DROP NOT NULL',
      'UPDATE event_series SET access_modifier = NULL WHERE id = 1',
    )
    expect(found.map((dataset: Record<string, string>) => dataset['dct:identifier'])).toEqual([SECOND])
    const { status, text } = await askOf(engine, `/api/v3/eventseries/${FIRST}/`, 'Hidden', 'text/html')
    expect([status, datasetIn(text)]).toEqual([200, undefined])
  })

  it('all series of a view without access modifiers, times, bounds and descriptions are public', async () => {
    const { found } = await catalogOf(
      `ALTER TABLE event_series DROP access_modifier, DROP timestamp_start, DROP timestamp_end, DROP west, DROP south,
         DROP east, DROP north, DROP last_modified`,
    )
    expect(found).toHaveLength(2)
    expect(found[0]['dct:temporal']).toMatchObject({ 'dcat:startDate': '2020-01-01T00:02:00Z' })
    expect(Object.keys(found[0])).toEqual(expect.not.arrayContaining(['dct:license', 'dct:publisher']))
  })
})
