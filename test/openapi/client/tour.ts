import createClient from 'openapi-fetch'
import type { components, paths } from './api.d.ts'

type Feature = components['schemas']['Feature']

/** What a client does that knows the interface by its description alone. */
export const tour = async (baseUrl: string, key: string) => {
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
  const { count, next, results } = page.data
  const storms = results.map(nameOf)

  const [first] = results
  const item = await client.GET('/api/v3/events/{id}/', { params: { path: { id: first?.id ?? 0 } } })
  const text: string | undefined = item.data?.properties.value

  const airport = await client.GET('/api/v3/events/', { params: { query: { object: 'airport$986' } } })
  const strikes: number | undefined = airport.data?.count

  const form = await client.POST('/api/v3/events/', {
    body: { geom_within: 'POLYGON ((3 50, 8 50, 8 54, 3 54, 3 50))', page_size: 1 },
    bodySerializer: (body) =>
      new URLSearchParams(Object.entries(body ?? {}).map(([name, value]) => [name, `${value}`])),
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  })
  const within: number | undefined = form.data?.count

  const series = await client.GET('/api/v4/eventseries/', {
    params: { query: { access_modifier: 'Private', ordering: 'created' } },
  })
  const kept = series.data?.results.map(({ name, access_modifier, last_modified }) => {
    const when: Date | null = last_modified === null ? null : new Date(last_modified)
    return [name, access_modifier, when?.getUTCFullYear()]
  })

  const bounds = await client.GET('/api/v3/eventseries/{uuid}/', { params: { path: { uuid: '469018d8' } } })
  const east: number | undefined = bounds.data?.spatial_bounds?.east

  const missing = await client.GET('/api/v3/observationtypes/{id}/', { params: { path: { id: 99 } } })
  const reason = missing.error === undefined ? null : 'detail' in missing.error ? missing.error.detail : null

  // @ts-expect-error: there is no such filter.
  const unknown = await client.GET('/api/v3/events/', { params: { query: { categroy: 'hurricane' } } })
  // @ts-expect-error: there is no such order.
  await client.HEAD('/api/v3/events/', { params: { query: { ordering: 'name' } } })
  // @ts-expect-error: there is no such address.
  await client.GET('/api/v4/events/')
  // @ts-expect-error: there is no such method.
  await client.PUT('/api/v3/events/')
  // @ts-expect-error: a feature has no such property.
  const nothing: undefined = first?.properties.name

  return { count, next, storms, text, within, strikes, kept, east, reason, faults: unknown.error, nothing }
}

const nameOf = ({ id, geometry, properties: { value, object, timestamp_end } }: Feature): string => {
  const [x, y] = geometry?.coordinates ?? []
  return `${id} ${object?.type} ${object?.id} at ${x} ${y} until ${new Date(timestamp_end).toISOString()}: ${value}`
}
