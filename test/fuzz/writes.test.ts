/** @module-tag exhaustive */
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { foundation } from '../engine/world.ts'
import { load } from '../service.ts'
import { expectKept, outcome, stored, write } from '../store/writer.ts'

// Random partial upserts, and items that are sent back after a read, through every address. The model is a plain object
// per event.

const UUID = '10000000-0000-4000-8000-000000000000'
const LISTS = {
  v3: '/api/v3/events/',
  v4: `/api/v4/eventseries/${UUID}/events/`,
  ogc: '/ogc/collections/events/items',
  own: `/ogc/collections/events-${UUID}/items`,
} as const
type List = keyof typeof LISTS

interface Model {
  id: number
  geometry: object | null
  category: string
  value: string
  start: number
  end: number
  object: { type: string; id: number } | null
}
type Given = { readonly [N in keyof Omit<Model, 'id'>]?: Model[N] | null | '' }

/** Applies an upsert as docs/api.md describes it. Returns null if the service refuses it. */
const upserted = (before: Model | undefined, given: Given): Omit<Model, 'id'> | null => {
  if (before === undefined && (given.start == null || given.geometry === undefined)) return null
  const start = given.start == null || given.start === '' ? (before?.start ?? 0) : given.start
  const isSent = (name: keyof Given) => given[name] !== undefined
  let end = before === undefined || before.end === before.start ? start : before.end
  if (isSent('end')) end = given.end === null || given.end === '' ? start : Number(given.end)
  if (end < start) return null
  return {
    start,
    end,
    geometry: given.geometry === undefined || given.geometry === '' ? (before?.geometry ?? null) : given.geometry,
    category: isSent('category') ? (given.category ?? '') : (before?.category ?? ''),
    value: isSent('value') ? (given.value ?? '') : (before?.value ?? ''),
    object: isSent('object') ? given.object || null : (before?.object ?? null),
  }
}

/** Makes the body of an upsert with the field names of a list. */
const bodyOf = (list: List, name: string, { geometry, start, end, object, ...texts }: Given) => {
  const [startName, endName] = list === 'v4' ? ['start', 'end'] : ['timestamp_start', 'timestamp_end']
  const parts = { object_type: object ? object.type : null, object_id: object ? object.id : null }
  const properties = {
    ...texts,
    external_id: name,
    event_series: UUID,
    ...(start !== undefined && { [startName]: start }),
    ...(end !== undefined && { [endName]: end }),
    ...(object !== undefined && (list === 'ogc' || list === 'own' ? parts : { object })),
  }
  return { type: 'Feature', ...(geometry !== undefined && { geometry }), properties }
}

const oneOf = <T>(...values: readonly T[]) => fc.constantFrom(...values)
const list = oneOf<List>('v3', 'v4', 'ogc', 'own')
const given = fc.record<Given>(
  {
    geometry: oneOf(null, { type: 'Point', coordinates: [5, 52, 0] }),
    category: oneOf(null, '', 'flood', 'storm'),
    value: oneOf(null, '', '1', 'é🌊'),
    start: oneOf(0, 1000, 9000),
    end: oneOf<number | null | ''>(null, '', 1000, 5000),
    object: oneOf<Model['object'] | ''>(null, '', { type: 'pump', id: 7 }),
  },
  { requiredKeys: [] },
)
const upsert = fc.record({ list, name: oneOf('a', 'b', 'c'), given, inArray: fc.boolean() })
const sentBack = fc.record({
  list,
  to: list,
  format: oneOf('json', 'geojson'),
  method: oneOf('POST', 'PATCH', 'PUT'),
  shape: oneOf('item', 'array', 'page'),
})
type Upsert = typeof upsert extends fc.Arbitrary<infer T> ? T : never
type SentBack = typeof sentBack extends fc.Arbitrary<infer T> ? T : never
const step = fc.oneof(upsert, upsert, sentBack)

const itemAt = (list: List, id: number) => `${LISTS[list]}${list === 'ogc' || list === 'own' ? `/${id}` : `${id}/`}`

/** Reads all events of the series from /ogc. */
const shown = async () =>
  Object.fromEntries(
    (await write('GET', `${LISTS.own}?limit=100`)).body.features.map(
      ({ id, geometry, properties }: { id: number; geometry: object; properties: Record<string, string> }) => [
        properties.external_id,
        {
          id,
          geometry,
          category: properties.category,
          value: properties.value,
          start: Date.parse(properties.timestamp_start ?? ''),
          end: Date.parse(properties.timestamp_end ?? ''),
          object: properties.object_type === null ? null : { type: properties.object_type, id: properties.object_id },
        },
      ],
    ),
  )

const doUpsert = async (model: Map<string, Model>, { list, name, given, inArray }: Upsert) => {
  const body = bodyOf(list, name, given)
  const before = model.get(name)
  const next = upserted(before, given)
  const answer = await outcome('POST', LISTS[list], inArray ? [body] : body)
  expect(answer.status, JSON.stringify([body, answer.body])).toBe(
    next === null ? 400 : before === undefined ? 201 : 200,
  )
  if (next === null) return
  const id = inArray ? answer.body.ids[0] : answer.body.id
  if (before !== undefined) expect(id).toBe(before.id)
  model.set(name, { id, ...next })
}

const doSendBack = async ({ list, to, format, method, shape }: SentBack) => {
  const query = list === 'ogc' || list === 'own' ? 'limit=100' : `page_size=100&format=${format}`
  const { body } = await write('GET', `${LISTS[list]}?${query}`)
  const items = body.results ?? body.features
  if (items.length === 0) return
  const before = await stored()
  const [item] = items
  // JSON of version 3 omits the external id, and JSON of version 4 omits the series.
  const isBare = format === 'json' && (list === 'v3' || list === 'v4')
  if (method === 'POST') {
    const { status } = await outcome('POST', LISTS[to], { item, array: items, page: body }[shape])
    const isNamed = !(isBare && list === 'v3') && !(isBare && list === 'v4' && (to === 'v3' || to === 'ogc'))
    expect(status).toBe(isNamed ? 200 : 409)
  } else if (method === 'PATCH' || !isBare || list === to) {
    const answer = await outcome(method, itemAt(to, item.id), item)
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  }
  expect(await stored()).toBe(before)
}

beforeAll(() => load(foundation))

const { count, seed } = env.TEST_FUZZ
const numRuns = Math.ceil(count / 200)

it(
  `${numRuns} random series of writes give the same result as a plain model, from seed ${seed}`,
  async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 15 }), async (steps) => {
      await write('DELETE', `${LISTS.v4}?all=true`)
      const model = new Map<string, Model>()
      for (const each of steps) {
        if ('given' in each) await doUpsert(model, each)
        else await doSendBack(each)
        expect(await shown()).toEqual(Object.fromEntries(model))
      }
      await expectKept()
    })
    await fc.assert(property, { numRuns, seed })
  },
  60_000 + numRuns * 4000,
)
