import createClient from 'openapi-fetch'
import type { components, paths } from './api.d.ts'

type Feature = components['schemas']['Feature']
/** The pages without the parameters `fields` and `explain`. */
type Page = components['schemas']['FeaturePage']
type SeriesPage = components['schemas']['EventSeriesV4Page']
type Collection = components['schemas']['FlatEventSeriesV3FeatureCollection']

/** Uses the interface with a client that knows only its description. */
export const tour = async (baseUrl: string, key: string, writer: string) => {
  const client = createClient<paths, 'application/json'>({
    baseUrl,
    headers: { Authorization: `Bearer ${key}` },
    querySerializer: { array: { style: 'form', explode: false } },
  })

  const page = await client.GET('/api/v3/events/', {
    params: {
      query: {
        category__in: ['hurricane', 'tropical storm'],
        timestamp_start__range: ['2017-08-01', '2017-10-01T00:00:00+02:00'],
        object_type__model__isnull: false,
        ordering: '-timestamp_start',
        page_size: 3,
        page: 2,
      },
    },
  })
  if (page.error !== undefined) throw new Error(JSON.stringify(page.error))
  const { count, next, results } = page.data as Page
  const storms = results.map(nameOf)

  const [first] = results
  const item = await client.GET('/api/v3/events/{id}/', { params: { path: { id: first?.id ?? 0 } } })
  const text: string | undefined = item.data?.properties.value

  const airport = await client.GET('/api/v3/events/', { params: { query: { object: 'airport$986' } } })
  const strikes: number | undefined = (airport.data as Page | undefined)?.count

  const form = await client.POST('/api/v3/events/', {
    body: { geom_within: 'POLYGON ((3 50, 8 50, 8 54, 3 54, 3 50))', page_size: 1 },
    bodySerializer: (body) =>
      new URLSearchParams(Object.entries(body ?? {}).map(([name, value]) => [name, `${value}`])),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  })
  const within: number | null = form.data !== undefined && 'count' in form.data ? form.data.count : null

  const series = await client.GET('/api/v4/eventseries/', {
    params: { query: { access_modifier: 'Private', ordering: 'created' } },
  })
  const kept = (series.data as SeriesPage | undefined)?.results.map(({ name, access_modifier, last_modified }) => {
    const when: Date | null = last_modified === null ? null : new Date(last_modified)
    return [name, access_modifier, when?.getUTCFullYear()]
  })

  const bounds = await client.GET('/api/v3/eventseries/{uuid}/', { params: { path: { uuid: '469018d8' } } })
  const east: number | undefined = bounds.data?.spatial_bounds?.east

  const missing = await client.GET('/api/v3/observationtypes/{id}/', { params: { path: { id: 99 } } })
  const reason = missing.error === undefined ? null : 'detail' in missing.error ? missing.error.detail : null

  const map = createClient<paths, 'application/geo+json'>({ baseUrl })
  const whole = await map.GET('/api/v3/eventseries/', {
    params: { query: { name: 'Zomertijd Nederland', format: 'geojson', page_size: 'all' } },
  })
  const boxes = (whole.data as Collection | undefined)?.features.map(({ id, geometry, properties }) => {
    const corner: number[] | undefined = geometry?.coordinates[0]?.[0]
    return [id.slice(0, 8), properties.name, corner]
  })

  const table = await createClient<paths, 'text/csv'>({ baseUrl }).GET('/api/v4/observationtypes/', {
    params: { query: { format: 'csv', page_size: 'all' } },
    parseAs: 'text',
  })
  const header: string | undefined = table.data?.split('\r\n')[0]

  // @ts-expect-error: there is no such filter.
  const unknown = await client.GET('/api/v3/events/', { params: { query: { categroy: 'hurricane' } } })
  // @ts-expect-error: there is no such order.
  await client.HEAD('/api/v3/events/', { params: { query: { ordering: 'name' } } })
  // @ts-expect-error: there is no such address.
  await client.GET('/api/v4/event/')
  // @ts-expect-error: there is no such method.
  await client.PUT('/api/v3/events/')
  // @ts-expect-error: a feature has no such property.
  const nothing: undefined = first?.properties.name

  const written = await write(baseUrl, writer)

  return {
    count,
    next,
    storms,
    text,
    within,
    strikes,
    kept,
    east,
    reason,
    boxes,
    header,
    written,
    faults: unknown.error,
    nothing,
  }
}

const nameOf = ({ id, geometry, properties: { value, object, timestamp_end } }: Feature): string => {
  const [x, y] = geometry?.coordinates ?? []
  return `${id} ${object?.type} ${object?.id} at ${x} ${y} until ${new Date(timestamp_end).toISOString()}: ${value}`
}

/** Posts an event twice, changes it and deletes it, with a key that may write. */
const write = async (baseUrl: string, key: string) => {
  const client = createClient<paths, 'application/json'>({ baseUrl, headers: { Authorization: `Bearer ${key}` } })
  const event: components['schemas']['NewEvent'] = {
    type: 'Feature',
    geometry: { type: 'Point', coordinates: [5.18, 52.1] },
    properties: { category: 'flood', timestamp_start: '2018-02-07T01:49:14Z', event_series: 1 },
  }
  const post = async (body: typeof event) => {
    const params = { header: { 'Idempotency-Key': '0d2c7be1' } }
    const { data, error } = await client.POST('/api/v3/events/', { params, body })
    return data !== undefined && 'geometry' in data ? data : error
  }
  const [made, again, refused] = [await post(event), await post(event), await post({ ...event, geometry: null })]
  if (made === undefined || !('id' in made)) throw new Error(JSON.stringify(made))
  const params = { path: { id: Number(made.id) } }

  const read = await client.GET('/api/v3/events/{id}/', { params })
  const tag = read.response.headers.get('ETag') ?? ''
  const change = (value: string) =>
    client.PATCH('/api/v3/events/{id}/', {
      params: { ...params, header: { 'If-Match': tag } },
      body: { properties: { value } },
    })
  const changed = await change('0.4 m')
  const late = await change('0.5 m')
  const value: string | undefined = changed.data?.properties.value

  const back = await client.PATCH('/api/v3/events/{id}/', { params, body: made as components['schemas']['Feature'] })
  const gone = await client.DELETE('/api/v3/events/{id}/', { params })

  const series = (name: string): components['schemas']['NewEventSeries'] => ({
    name,
    observation_type: 1,
    access_modifier: 'Private',
  })
  const two = await client.POST('/api/v4/eventseries/', { body: [series('a'), series('b')] })
  const uuids: string[] = two.data !== undefined && 'uuids' in two.data ? two.data.uuids : []
  const removed = await Promise.all(
    uuids.map((uuid) =>
      client.DELETE('/api/v4/eventseries/{uuid}/', { params: { path: { uuid }, query: { events: 'delete' } } }),
    ),
  )

  // @ts-expect-error: an event has a start.
  const timeless: components['schemas']['NewEvent']['properties'] = { event_series: 1 }
  // @ts-expect-error: there is no such field.
  const named: components['schemas']['EventChanges'] = { properties: { name: 'a' } }
  // @ts-expect-error: a changed field keeps its type.
  await client.PATCH('/api/v3/events/{id}/', { params, body: { properties: { category: 5 } } })
  // @ts-expect-error: clients cannot delete observation types.
  await client.DELETE('/api/v3/observationtypes/{id}/', { params })

  return {
    same: JSON.stringify(again) === JSON.stringify(made),
    statuses: [changed, late, back, gone, ...removed].map(({ response }) => response.status),
    refused,
    value,
    faulty: [timeless, named].length,
  }
}
