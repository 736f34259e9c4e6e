import { describe, expect, it } from 'vitest'
import { beginWithSeed, get, send } from '../service.ts'

beginWithSeed()

describe('each line is one item of the results', () => {
  it.each([
    ['/api/v3/events/?page_size=300&page=3', 'events_page-3'],
    ['/api/v3/events/?category=none', 'events_category-none'],
    ['/api/v3/eventseries/?page_size=100', 'eventseries'],
    ['/api/v4/eventseries/?ordering=-name', 'eventseries'],
    ['/api/v3/observationtypes/?page_size=2', 'observationtypes'],
    ['/api/v4/observationtypes/?page_size=2&page=2', 'observationtypes_page-2'],
  ])('%s', async (path, name) => {
    const response = await send(path, { headers: { Accept: 'application/x-ndjson' } })
    const text = await response.text()
    const { count, next, results } = await get(path)
    expect(text).toBe(results.map((item: object) => `${JSON.stringify(item)}\n`).join(''))
    const { headers } = response
    expect([headers.get('Content-Type'), headers.get('X-Total-Count'), headers.get('Content-Disposition')]).toEqual([
      'application/x-ndjson',
      String(count),
      `attachment; filename="${name}.ndjson"`,
    ])
    expect(headers.get('Link') ?? '').toContain(next === null ? '' : `<${next}>; rel="next"`)
  })
})

it('an item is one line', async () => {
  const text = await (await send('/api/v3/events/1/?format=ndjson')).text()
  const item = await get('/api/v3/events/1/?format=json')
  expect(text).toBe(`${JSON.stringify(item)}\n`.replaceAll('format=json', 'format=ndjson'))
})
