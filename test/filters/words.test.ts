import { beforeAll, describe, expect, it } from 'vitest'
import { at } from '../../src/base/collections.ts'
import { foldWords } from '../../src/filters/fold.ts'
import { ask, freezeClock } from '../engine/cost.ts'
import type { EventRecord } from '../records.ts'
import { get, load, post, send } from '../service.ts'
import { splitRows } from '../tags.ts'
import { CALLERS, eventIds, eventOf, observationType, refusal, seriesOf } from './records.ts'

freezeClock()

const LEVELS = [0, 100, 200, 300]
const NAMES = ['Atlantic storms 2010-2020', 'Stürme: Nordsee', 'Sea of Maria', 'Tropical secrets']
const OWNERS = LEVELS.map((access_modifier, i) => seriesOf(i + 1, { access_modifier, name: at(NAMES, i) }))
const CATEGORIES = ['flood', 'Tropical Storm', 'tropical-storm warning', 'Überflutung', '', 'storm tropical']
const VALUES = [
  ...['Maria 2017: 150 kn', 'MARIA', 'maría', 'mar_ia', 'marian', '0.4 m', 'École ﬁre', 'ΣΊΣΥΦΟΣ', '洪水 警报', ''],
  ...['tropical storm', 'tropicalstorm', 'Straße 5½', 'a\u0301b', "l'été", `${'long text '.repeat(400)}maria`],
]
/** Attributes, and the texts in them. A name is no text. */
const ATTRIBUTES: readonly (readonly [NonNullable<EventRecord['attributes']> | null, texts: readonly string[]])[] = [
  [null, []],
  [{ town: 'Sint-Maria', maria: 1, depth: 2017.25 }, ['Sint-Maria', '1', '2017.25']],
  [{ notes: { seen: ['storm "tropical"', 'tropical\nÉcole'], flood: true } }, ['storm "tropical"', 'tropical\nÉcole']],
  [{ first: 'tropical', second: 'storm' }, ['tropical', 'storm']],
]
const MODELS = [null, 'storm', 'pump_station']

const EVENTS = Array.from({ length: 600 }, (_, i): EventRecord => {
  const model = at(MODELS, (i * 5) % MODELS.length)
  return eventOf(i + 1, {
    series: 1 + (i % OWNERS.length),
    category: at(CATEGORIES, Math.floor(i / 3) % CATEGORIES.length),
    value: at(VALUES, Math.floor(i / 7) % VALUES.length),
    object: model === null ? null : { model, id: i },
    external_id: i % 11 === 0 ? `us-FLOOD_${i}` : null,
    attributes: at(ATTRIBUTES, Math.floor(i / 17) % ATTRIBUTES.length)[0],
    start: i * 1000,
    end: i * 1000,
    coordinates: i % 13 === 0 ? null : [(i % 180) - 90, (i % 90) - 45, 0],
  })
})
/** Only hidden events have this category, this model and this value. */
const HIDDEN = Array.from({ length: 3000 }, (_, i) =>
  eventOf(10_001 + i, {
    ...{ series: 4, category: 'quake hidden', value: 'quake', object: { model: 'quake_sensor', id: 1 } },
  }),
)

beforeAll(() => load([observationType, ...OWNERS, ...EVENTS, ...HIDDEN]))

/** Splits a text into folded words, character by character. */
const naiveWords = (text: string): string[] => {
  const words: string[] = ['']
  for (const character of text.normalize('NFKD')) {
    if (/\p{M}/u.test(character)) continue
    const folded = character.toLowerCase().toUpperCase().toLowerCase()
    if (/[\p{L}\p{N}]/u.test(character)) words.push(`${words.pop()}${folded}`)
    else words.push('')
  }
  return words.filter((word) => word !== '')
}

/** A term is a list of words. The last word is a beginning if `isBeginning`. */
type NaiveTerm = readonly [words: readonly string[], isBeginning?: boolean]

const hasTerm = (text: string, [words, isBeginning = false]: NaiveTerm): boolean => {
  const all = naiveWords(text)
  return all.some((_, from) =>
    words.every((word, i) => {
      const other = all[from + i] ?? ''
      return isBeginning ? other.startsWith(word) : other === word
    }),
  )
}

const textsOf = ({ value, category, series, object, external_id, attributes }: EventRecord): string[] => [
  ...[value, category, at(NAMES, series - 1)],
  ...[object?.model ?? '', external_id ?? ''],
  ...(ATTRIBUTES.find(([given]) => given === attributes)?.[1] ?? []),
]

const matching = (terms: readonly NaiveTerm[], level: number, also: (event: EventRecord) => boolean = () => true) =>
  [...EVENTS, ...HIDDEN]
    .filter((event) => at(LEVELS, event.series - 1) <= level && also(event))
    .filter((event) => terms.every((term) => textsOf(event).some((text) => hasTerm(text, term))))
    .map(({ id }) => id)

const QUERIES: readonly (readonly [q: string, terms: readonly NaiveTerm[]])[] = [
  ['maria', [[['maria']]]],
  ['MARÍA flood', [[['maria']], [['flood']]]],
  ['flood maria storms', [[['flood']], [['maria']], [['storms']]]],
  ['"tropical storm"', [[['tropical', 'storm']]]],
  ['“Tropical Storm” 2017', [[['tropical', 'storm']], [['2017']]]],
  ['"storm warning" pump', [[['storm', 'warning']], [['pump']]]],
  ['tropical storm', [[['tropical']], [['storm']]]],
  ['mar*', [[['mar'], true]]],
  ['flo* 0 m', [[['flo'], true], [['0']], [['m']]]],
  ['u*', [[['u'], true]]],
  ['uberflutung', [[['uberflutung']]]],
  ['sturme nord*', [[['sturme']], [['nord'], true]]],
  ['ecole FIRE', [[['ecole']], [['fire']]]],
  ['σίσυφος', [[['σισυφοσ']]]],
  ['洪水', [[['洪水']]]],
  ['洪*', [[['洪'], true]]],
  ['strasse', [[['strasse']]]],
  ['ab', [[['ab']]]],
  ['"l été"', [[['l', 'ete']]]],
  ['us flood', [[['us']], [['flood']]]],
  ['"us flood 11"', [[['us', 'flood', '11']]]],
  ['station', [[['station']]]],
  ['"text maria"', [[['text', 'maria']]]],
  ['2010', [[['2010']]]],
  ['secrets', [[['secrets']]]],
  ['quake', [[['quake']]]],
  ['quake_sensor', [[['quake']], [['sensor']]]],
  ['nothing', [[['nothing']]]],
  ['sint maria', [[['sint']], [['maria']]]],
  ['"2017 25"', [[['2017', '25']]]],
  ['"tropical ecole"', [[['tropical', 'ecole']]]],
  ['town', [[['town']]]],
  ['true', [[['true']]]],
]
const OTHERS: readonly (readonly [string, (event: EventRecord) => boolean])[] = [
  ['', () => true],
  ['&category__not=flood', ({ category }) => category !== 'flood'],
  ['&timestamp_start__lt=1970-01-01T00:04:00Z', ({ start }) => start < 240_000],
  ['&event_series__id=1&value__iregex=M', ({ series, value }) => series === 1 && /m/i.test(value)],
  ['&bbox=-90,-90,0,90', ({ coordinates }) => coordinates !== null && coordinates[0] <= 0],
]
const q = (text: string) => `q=${encodeURIComponent(text)}`

describe('q finds the events whose texts have all words', () => {
  const all = CALLERS.flatMap(([level, of]) => QUERIES.map(([text, terms]) => [text, level, terms, of] as const))
  for (const [options, rows] of splitRows(4, all))
    it.each(rows)('%s at level %d', options, async (text, level, terms, optionsOf) => {
      const place = QUERIES.findIndex(([other]) => other === text)
      for (const [other, also] of [at(OTHERS, 0), at(OTHERS, 1 + (place % (OTHERS.length - 1)))]) {
        const found = await eventIds(`${q(text)}${other}`, await optionsOf())
        expect(
          found.sort((a, b) => a - b),
          other,
        ).toEqual(matching(terms, level, also))
      }
    })

  it('in pages of each order, a summary, a tile, a posted query, the lists of version 4, and under /ogc', async () => {
    const text = 'storm* maria'
    const ids = matching([[['storm'], true], [['maria']]], 0)
    expect(ids.length).toBeGreaterThan(9)
    const walked: number[] = []
    for (let next = `/api/v3/events/?${q(text)}&ordering=-timestamp_start&page_size=4`; next; ) {
      const page = await get(next)
      walked.push(...page.results.map(({ id }: { id: number }) => id))
      next = page.next
      if (next) expect(next).toContain('q=storm%2A+maria')
      expect(page.count).toBe(ids.length)
    }
    expect(walked).toEqual([...ids].reverse())
    expect((await get(`/api/v3/events/summary/?${q(text)}`)).count).toBe(ids.length)
    expect((await get('/api/v3/events/', post(q(text)))).count).toBe(ids.length)
    expect((await get(`/api/v4/events/?${q(text)}`)).count).toBe(ids.length)
    expect((await get(`/api/v4/eventseries/${OWNERS[0]?.uuid}/events/?${q(text)}`)).count).toBe(ids.length)
    expect((await get(`/ogc/collections/events/items?${q(text)}`)).numberMatched).toBe(ids.length)
    const tile = async (text: string) => {
      const response = await send(`/ogc/collections/events/tiles/WebMercatorQuad/0/0/0?${q(text)}`)
      return [response.status, (await response.arrayBuffer()).byteLength > 0]
    }
    expect([await tile(text), await tile('nothing')]).toEqual([
      [200, true],
      [200, false],
    ])
  })
})

describe('a 400 names q and shows an example', () => {
  it.each([
    ['"tropical storm', 'Enter two around a phrase: "tropical storm".'],
    ['maria " flood', 'Enter two around a phrase: "tropical storm".'],
    [' ', 'There is no word. Enter maria flood, "tropical storm" or flo*.'],
    ['-+?', 'There is no word. Enter maria flood, "tropical storm" or flo*.'],
    ['maria ""', 'There is no word between the quotes. Enter maria flood, "tropical storm" or flo*.'],
    ['*', 'outside of quotes. Enter flo* or "flo".'],
    ['*lood', 'outside of quotes. Enter flo* or "flo".'],
    ['f*d', 'outside of quotes. Enter flo* or "flo".'],
    ['flo**', 'outside of quotes. Enter flo* or "flo".'],
    ['"flo*"', 'outside of quotes. Enter flo* or "flo".'],
    ['w '.repeat(21), 'Enter at most 20 words.'],
  ])('%s', async (text, example) => {
    for (const path of ['/api/v3/events/', '/api/v3/events/summary/', '/ogc/collections/events/items']) {
      const body = (await refusal(q(text), {}, path)) as { q?: string[]; detail?: string } // the shapes of a 400
      expect(body.q?.join() ?? body.detail).toContain(example)
    }
  })

  it('q twice', async () => {
    expect(await refusal('q=a&q=b')).toEqual({ q: ['Given more than once. Give it once.'] })
  })
})

it('a word of hidden events reads as many rows as a word of no event', async () => {
  const rows = async (text: string) => (await ask({ query: { q: text } }, '/api/v3/events/')).rows
  await rows('warm')
  expect(await rows('quake')).toBe(await rows('nothing'))
})

it('20 words of 60 letters are one query', async () => {
  const word = (i: number) => `${'w'.repeat(60)}${i}`
  expect(await eventIds(q(Array.from({ length: 20 }, (_, i) => word(i)).join(' ')))).toEqual([])
})

it('folding a folded character changes nothing, and ASCII stays ASCII', () => {
  for (let code = 0; code < 0x30_000; code++) {
    const folded = foldWords(String.fromCodePoint(code))
    if (foldWords(folded) !== folded) expect.fail(code.toString(16))
    if (code < 0x80) expect(folded).toBe(String.fromCodePoint(code).toLowerCase())
  }
})
