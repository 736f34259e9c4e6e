import { describe, expect, it } from 'vitest'
import type { Control } from '../../src/model/controls.ts'
import { send } from '../service.ts'

/** Reads the fields that a page of HTML has for its controls. */
const fieldsAt = async (path: string): Promise<readonly Control[]> => {
  const html = await (await send(path, { headers: { Accept: 'text/html' } })).text()
  const [, context = ''] = /id="context">(.*?)<\/script>/s.exec(html) ?? []
  return JSON.parse(context).about.fields
}

const SHOWN = {
  '/api/v3/events/': `category what 1 | value what 1 | timestamp_start when 1 | object more 2 | attributes more 2 |
    id more 3 | timestamp_end when 3 | duration when 3 | event_series more 3 | external_id more 3 |
    last_modified more 3 | coordinates where 3`,
  '/api/v4/events/': `category what 1 | value what 1 | start when 1 | object more 2 | attributes more 2 |
    id more 3 | end when 3 | duration when 3 | event_series more 3 | external_id more 3 |
    last_modified more 3 | coordinates where 3`,
  '/api/v3/eventseries/': `name what 1 | first_value_timestamp when 1 | last_value_timestamp when 1 |
    description what 2 | spatial_bounds where 2 | uuid more 3 | observation_type what 3 | statistic what 3 |
    color more 3`,
  '/api/v4/observationtypes/': 'id more 1 | code what 1 | name what 1 | unit what 1',
}

it.each(Object.entries(SHOWN))('the page of %s has the columns', async (path, columns) => {
  const shown = (await fieldsAt(path))
    .flatMap(({ name, group, column }) => (column ? [`${name} ${group} ${column}`] : []))
    .sort((a, b) => Number(a.at(-1)) - Number(b.at(-1)))
  expect(shown).toEqual(columns.split('|').map((column) => column.trim()))
})

describe.each(Object.keys(SHOWN))('the page of %s', (path) => {
  it('has each filter once', async () => {
    const { filters } = await (await send(path, { method: 'OPTIONS' })).json<{ filters: object }>()
    const names = (await fieldsAt(path)).flatMap(({ name, lookups }) =>
      lookups
        .filter((lookup) => name !== 'attributes' || lookup === '')
        .map((lookup) => (lookup === '' ? name : `${name}__${lookup}`)),
    )
    expect(names).toEqual(Object.keys(filters))
  })

  it('has a title in two languages, and an order that exists', async () => {
    const { ordering } = await (await send(path, { method: 'OPTIONS' })).json<{ ordering: string[] }>()
    for (const { name, label, order = 'id' } of await fieldsAt(path)) {
      expect(label, name).toEqual([expect.stringMatching(/./), expect.stringMatching(/./)])
      expect(ordering, name).toContain(order)
    }
  })
})

it('a field has its kind, its lookups, its order and its values', async () => {
  const fields = await fieldsAt('/api/v3/events/')
  const [value, latest, place] = ['value', 'latest', 'coordinates'].map((each) =>
    fields.find(({ name }) => name === each),
  )
  expect(value).toMatchObject({ label: ['Value', 'Waarde'], kind: 'text', order: 'value_number' })
  expect(value?.lookups).toEqual(expect.arrayContaining(['', 'not', 'icontains', 'gte', 'in__not']))
  expect(latest).toMatchObject({ kind: 'latest', lookups: [''], choices: ['event_series'] })
  expect(place).toEqual({
    name: 'coordinates',
    label: ['Place', 'Plaats'],
    kind: 'place',
    group: 'where',
    lookups: [],
    column: 3,
  })
})
