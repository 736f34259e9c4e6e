import { beforeAll, describe, expect, it } from 'vitest'
import { ITEM_PARAMETERS } from '../../src/ogc/columns.ts'
import { eventOf, seriesOf, typeOf, uuidOf } from '../http/writes.ts'
import { type Send, servicesWith } from '../oracle/oracle.ts'
import { splitRows } from '../tags.ts'

/** Names that an attribute may have, although they mean something elsewhere. */
const OF_FEATURES = [
  ...['id', 'type', 'bbox', 'geometry', 'geom', 'links', 'properties', 'attributes', 'distance', 'category', 'value'],
  ...['value_number', 'timestamp_start', 'timestamp_end', 'start', 'end', 'color', 'event_series', 'event_series_name'],
  ...['object_type', 'object_id', 'external_id', 'last_modified', 'url', 'object', 'longitude', 'duration', 'name'],
]
const OF_PARAMETERS = [...ITEM_PARAMETERS, ...['q', 'near', 'radius', 'latest', 'geom_within', 'timezone', 'object']]
const OF_JAVASCRIPT = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'valueOf', 'prototype', 'length']
const OF_LANGUAGES = ['true', 'null', 'and', 'date', 'in', 'rowid', 'it', 'day', 'select']
const ODD = [
  ...['a b', 'a.b', 'a"b', "it's", 'a,b', 'a\\b', '-a', '🌊', 'Volume (m³)', 'x[0]', '1a', '%', '$', '?', '_', 'a+b'],
  ...['category__in', 'plain', 'plain__in', 'other__in', 'attributes__category', 'a__b'],
]
const NAMES = [...new Set([...OF_FEATURES, ...OF_PARAMETERS, ...OF_JAVASCRIPT, ...OF_LANGUAGES, ...ODD])]
/** These are members of features and tiles, so the column keeps `attributes__`. */
const LONGER = new Set([
  ...['id', 'type', 'bbox', 'geometry', 'geom', 'links', 'properties', 'attributes', 'distance', 'category', 'value'],
  ...['value_number', 'timestamp_start', 'timestamp_end', 'start', 'end', 'color', 'event_series'],
  ...['object_type', 'object_id', 'external_id', 'last_modified', 'attributes__category', 'event_series_name'],
])
/** The parameters with these names have another meaning. */
const NO_PARAMETERS = [...OF_PARAMETERS, 'category__in', 'plain__in', 'duration']

const attributes = (plus: number) => Object.fromEntries(NAMES.map((name, i) => [name, i + plus]))
const engines = servicesWith([
  typeOf(1),
  seriesOf(1, 'Public'),
  { ...eventOf(1, 1), attributes: attributes(0) },
  { ...eventOf(2, 1), attributes: attributes(500) },
  eventOf(3, 1),
])

const COLLECTION = `/ogc/collections/events-${uuidOf(1)}`
type Members = Readonly<Record<string, Readonly<Record<string, unknown>>>>

describe.each(engines)('an attribute over %s', (_, send: Send) => {
  const ask = async <T>(path: string): Promise<T> => {
    const response = await send(path)
    if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
    return response.json<T>()
  }
  const documents = new Map<string, Members>()
  let [features, head]: [readonly { readonly properties: Members[string] }[], readonly string[]] = [[], []]
  beforeAll(async () => {
    for (const name of ['schema', 'queryables', 'sortables'])
      documents.set(name, (await ask<{ properties: Members }>(`${COLLECTION}/${name}`)).properties)
    ;({ features } = await ask<{ features: typeof features }>(`${COLLECTION}/items`))
    head =
      (await (await send(`${COLLECTION}/items?f=csv`)).text()).split('\r\n', 1)[0]?.split(/,(?=attributes__|")/) ?? []
  })
  const idsOf = async (query: string) =>
    (await ask<{ features: { id: number }[] }>(`${COLLECTION}/items?${query}`)).features.map(({ id }) => id)

  const named = NAMES.map((name, i) => [name, i] as const)
  for (const [options, some] of splitRows(3, named))
    it.each(some)('with the name %s is a column everywhere', options, async (name, i) => {
      const shown = LONGER.has(name) ? `attributes__${name}` : name
      const quoted = encodeURIComponent(`"${shown.replaceAll('"', '""')}"`)
      const property = { title: name, type: 'integer', 'x-ogc-propertySeq': expect.any(Number) }
      for (const document of ['schema', 'sortables']) {
        const described = documents.get(document) ?? {}
        expect(Object.hasOwn(described, shown) && described[shown], document).toEqual(property)
      }
      const [first] = features
      expect(Object.hasOwn(first?.properties ?? {}, shown) && first?.properties[shown]).toBe(i)
      expect(head).toContain(/[",]/.test(name) ? `"attributes__${name.replaceAll('"', '""')}"` : `attributes__${name}`)
      expect(await idsOf(`filter=${quoted}=${i}`)).toEqual([1])
      expect(await idsOf(`filter=${quoted}>${i}`)).toEqual([2])
      expect(await idsOf(`filter=${quoted} IS NULL`)).toEqual([3])
      expect(await idsOf(`sortby=-${quoted}`)).toEqual([2, 1, 3])
      const isParameter = Object.hasOwn(documents.get('queryables') ?? {}, shown)
      expect(isParameter).toBe(LONGER.has(name) || !NO_PARAMETERS.includes(name))
      if (isParameter) expect(await idsOf(`${encodeURIComponent(shown)}=${i}`)).toEqual([1])
    })

  it('with the name of a lookup leaves the lookup', async () => {
    expect(await idsOf('category__in=flood')).toEqual([1, 2, 3])
    expect(await idsOf(`plain__in=${NAMES.indexOf('plain')}`)).toEqual([1])
    expect(await idsOf(`attributes__category__in=${NAMES.indexOf('category')}`)).toEqual([1])
  })

  it.each(['value_number=1', 'value_number__gte=1', 'value_number__in=1,2', 'value_number__range=0,1'])(
    'leaves the parameter %s',
    async (query) => {
      expect(await idsOf(query)).toEqual([1, 2, 3])
      expect(documents.get('queryables')).toHaveProperty('value_number')
    },
  )
})
