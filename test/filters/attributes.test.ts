import { beforeAll, expect, it } from 'vitest'
import { get, load, send } from '../service.ts'
import { outcome } from '../store/writer.ts'
import { observationType, seriesOf } from './records.ts'

const SERIES = seriesOf(1)

beforeAll(() => load([observationType, SERIES]))

it('OPTIONS and OpenAPI describe the parameters once', async () => {
  const { filters } = await get('/api/v3/events/', { method: 'OPTIONS' })
  expect(Object.entries(filters).filter(([name]) => name.startsWith('attributes'))).toEqual([
    ['attributes', 'attributes'],
  ])
  const { components } = await get('/openapi.json')
  const { name, schema, explode } = components.parameters['Feature.attributes']
  expect([name, explode, schema.type]).toEqual(['attributes', undefined, 'object'])
  // A generated client keeps such members, and drops those of patternProperties.
  expect(schema.additionalProperties).toEqual({ type: 'string' })
  const isDescribed = (parameter: string) => new RegExp(schema.propertyNames.pattern).test(parameter)
  for (const right of ['attributes__mag', 'attributes__a_b__in__not', 'attributes__M1__gte'])
    expect(isDescribed(right), right).toBe(true)
  for (const wrong of ['attributes', 'attributes__1', 'attributes__a_', 'attributes__a__gte__in__x', 'category'])
    expect(isDescribed(wrong), wrong).toBe(false)
})

it('a file has the filter in its name, and DELETE takes it', async () => {
  const file = await send('/api/v3/events/?attributes__a__gte=4.5&format=csv')
  expect(file.headers.get('Content-Disposition')).toContain('attributes-a-gte-4.5')
  const events = `/api/v4/eventseries/${SERIES.uuid}/events/`
  const made = { type: 'Feature', geometry: null, properties: { start: 0, attributes: { doomed: 1 } } }
  await outcome('POST', events, made)
  expect(await outcome('DELETE', `${events}?attributes__doomed=1`)).toMatchObject({ body: { deleted: 1 } })
})
