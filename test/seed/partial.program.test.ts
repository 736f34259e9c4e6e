import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { LoadOptions } from '../../seed/load/files.ts'
import { loadFiles } from '../../seed/load/files.ts'
import { openLocal } from './loading.ts'

const { at, db } = openLocal('partial')

let files = 0
const fileOf = (content: string): string => {
  files += 1
  const path = at(`${files}.txt`)
  writeFileSync(path, content)
  return path
}

const load = async (series: string, contents: readonly string[], options: LoadOptions = {}) => {
  const outcome = await loadFiles(db(), contents.map(fileOf), { series, key: 'id', ...options })
  const { totals, changed, stored } = outcome
  return { counts: [totals.event, changed, stored.event], survey: outcome.survey }
}

const eventsOf = async (series: string) => {
  const sql = `SELECT external_id AS id, category.text AS category, value, event.start, event."end", x, y, z,
      object_model.text AS model, object_id AS object
    FROM event JOIN category ON category.id = category_id JOIN event_series ON event_series.id = event_series_id
      LEFT JOIN object_model ON object_model.id = object_model_id
    WHERE event_series.name = ? ORDER BY external_id`
  const { results } = await db().prepare(sql).bind(series).all()
  return results
}

const FIRST = `id,category,value,start,end,x,y,z,object_type,object_id
a,flood,1,1970-01-01T00:00:01Z,1970-01-01T00:00:09Z,5,52,3,pump,7
b,flood,1,1970-01-01T00:00:01Z,,5,52,3,pump,7
`
const A = {
  ...{ id: 'a', category: 'flood', value: '1', start: 1000, end: 9000, x: 5, y: 52, z: 3, model: 'pump', object: 7 },
}
const B = { ...A, id: 'b', end: 1000 }
const MOVED = { ...B, x: 6, y: 53, z: 0 }
const CLEARED = { ...A, category: '', value: '', end: 1000, x: null, y: null, z: null, model: null, object: null }
const feature = (id: string, rest: string, properties: string) =>
  `{"type":"Feature",${rest}"properties":{"id":"${id}",${properties}}}\n`

describe('a row with the key of a stored event', () => {
  it.each<[string, string, readonly [number, number, number], readonly object[]]>([
    ['columns that are absent stay', 'id,value\na,2\nb,1\n', [0, 1, 1], [{ ...A, value: '2' }, B]],
    [
      'columns that are empty clear',
      'id,category,value,end,x,y,z,object_type,object_id\na,,,,,,,,\n',
      [0, 1, 0],
      [CLEARED, B],
    ],
    [
      'the end moves with the start of an event that ended as it started, and else stays',
      'id,start\na,1970-01-01T00:00:05Z\nb,1970-01-01T00:00:05Z\n',
      [0, 2, 0],
      [
        { ...A, start: 5000 },
        { ...B, start: 5000, end: 5000 },
      ],
    ],
    [
      'members of features that are absent stay',
      feature('a', '', '"value":"2"') +
        feature('b', '"geometry":{"type":"Point","coordinates":[6,53]},', '"value":"1"'),
      [0, 2, 0],
      [{ ...A, value: '2' }, MOVED],
    ],
    [
      'null and empty members of features clear',
      feature('a', '"geometry":null,', '"category":"","value":null,"end":null,"object":null') +
        feature('b', '', '"category":null,"value":"","object_type":null,"object_id":null'),
      [0, 2, 0],
      [CLEARED, { ...B, category: '', value: '', model: null, object: null }],
    ],
    ['plain objects', '{"id":"a","value":2}\n{"id":"b","lon":6,"lat":53}\n', [0, 2, 0], [{ ...A, value: '2' }, MOVED]],
  ])('%s', async (series, content, counts, events) => {
    expect((await load(series, [FIRST])).counts).toEqual([2, 0, 0])
    expect((await load(series, [content], { dryRun: true })).counts).toEqual(counts)
    expect((await load(series, [content])).counts).toEqual(counts)
    expect(await eventsOf(series)).toEqual(events)
    expect((await load(series, [content])).counts).toEqual([0, 0, counts[1] + counts[2]])
  })

  it('is a fault with its line if the event would end before it starts; the other rows can be loaded', async () => {
    const content = 'id,start\nb,1970-01-01T00:00:05Z\na,1970-01-01T00:00:20Z\n'
    await load('moved', [FIRST])
    await expect(load('moved', [content])).rejects.toThrow(
      /line 3: the event would end before it starts, at 1970-01-01T00:00:09.000Z: add a later end$/,
    )
    expect((await load('moved', [content], { skipInvalid: true })).counts).toEqual([0, 1, 0])
    expect(await eventsOf('moved')).toEqual([A, { ...B, start: 5000, end: 5000 }])
  })
})

describe('a new event', () => {
  it.each<[string, string, RegExp]>([
    ['without a start', 'id,x,y\na,5,52\n', /line 2: a new event needs a start: name its column with --start NAME$/],
    [
      'of CSV without a position',
      'id,start\na,1970-01-01\n',
      /line 2: a new event needs a position, .*: name its columns with --x NAME/,
    ],
    [
      'with half a position',
      'id,x,start\na,5,1970-01-01\n',
      /no column for y among id, x, start: name it with --y COLUMN$/,
    ],
    ['without a start, as a feature', feature('a', '', '"value":"1"'), /line 1: a new event needs a start/],
  ])('%s is refused', async (series, content, reason) => {
    await expect(load(series, [content])).rejects.toThrow(reason)
  })

  it('has no geometry if no plain object of the file has one', async () => {
    expect((await load('placeless', ['{"id":"a","time":"1970-01-01"}\n'])).counts).toEqual([1, 0, 0])
    expect(await eventsOf('placeless')).toMatchObject([{ id: 'a', category: '', value: '', start: 0, x: null }])
  })
})

describe('rows with equal keys', () => {
  const ROWS = 'id,start,x,y,category\na,1970-01-01,5,52,quake\nb,1970-01-02,,,quake\na,1970-01-03,6,52,flood\n'

  it('are merged and counted', async () => {
    expect(await load('merged', [ROWS])).toEqual({
      counts: [2, 0, 0],
      survey: [
        'Period: 1970-01-01T00:00:00.000Z to 1970-01-03T00:00:00.000Z',
        'Bounds: longitude 5 to 6, latitude 52 to 52',
        'Categories: 2 ("quake" 1, "flood" 1)',
        'Merged with a later row with the same key: 1 of 3 rows (a)',
        'Without a place: 1 of 2 events',
        'Times without a zone were read as UTC. For Dutch clocks add --timezone Europe/Amsterdam.',
        'New series merged: Public, so everybody can read it. --access names another level',
      ],
    })
    expect(await eventsOf('merged')).toMatchObject([{ id: 'a', category: 'flood' }, { id: 'b' }])
  })

  it('are refused if the later row lacks a field of the earlier one', async () => {
    const lacking = 'id,start,x,y\na,1970-01-04,5,52\n'
    await expect(load('lacking', [ROWS, lacking])).rejects.toThrow(
      /line 2: an earlier row has the key "a" and "category", which this row lacks: add the value, or load the files one after the other$/,
    )
    expect((await load('lacking', [ROWS])).counts).toEqual([2, 0, 0])
    expect((await load('lacking', [lacking])).counts).toEqual([0, 1, 0])
    expect(await eventsOf('lacking')).toMatchObject([{ id: 'a', category: 'flood', start: 259_200_000 }, { id: 'b' }])
  })
})

it('an id that is a text, among others, is a faulty row', async () => {
  const text = 'id,start,x,y\n1,1970-01-01,5,52\na1,1970-01-01,5,52\n'
  await expect(load('ids', [text], { key: undefined })).rejects.toThrow(
    `line 3: "id" is "a1": enter a positive integer, such as 1, or use --key-column id if it is the id at the source`,
  )
})

it('texts as ids are an error that suggests --key-column', async () => {
  const text = 'id,start,x,y\na1,1970-01-01,5,52\n'
  await expect(load('ids', [text], { key: undefined })).rejects.toThrow(
    'ids such as a1 are those of the source: use --key-column id',
  )
})

it('a series that was deleted and created again gets its events again', async () => {
  const text = 'start,x,y\n1970-01-01,5,52\n'
  const options = { key: undefined }
  expect((await load('again', [text], options)).counts).toEqual([1, 0, 0])
  expect((await load('again', [text], options)).counts).toEqual([0, 0, 1])
  const uuid = async () => db().prepare("SELECT uuid FROM event_series WHERE name = 'again'").first('uuid')
  const before = await uuid()
  await db().batch([
    db().prepare("DELETE FROM event WHERE event_series_id = (SELECT id FROM event_series WHERE name = 'again')"),
    db().prepare("DELETE FROM event_series WHERE name = 'again'"),
  ])
  expect((await load('again', [text], options)).counts).toEqual([1, 0, 0])
  expect(await uuid()).toBe(before)
})
