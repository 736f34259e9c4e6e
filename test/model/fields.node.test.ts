import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { allEventsV4, events } from '../../src/lists/event.ts'
import type { Resource } from '../../src/lists/resource.ts'
import { eventSeriesV3, eventSeriesV4 } from '../../src/lists/series.ts'
import { observationTypesV3, observationTypesV4 } from '../../src/lists/type.ts'
import { bodyFields } from '../../src/model/body.ts'
import { EVENT } from '../../src/model/event.ts'
import type { Fields, ModelField, Surface } from '../../src/model/field.ts'
import { membersOf } from '../../src/model/members.ts'
import { OBSERVATION_TYPE } from '../../src/model/observationType.ts'
import { SERIES } from '../../src/model/series.ts'

const PAPER = join(import.meta.dirname, '../../docs/fields.md')

/** A model with its lists of version 3 and 4. `beside` has the members of a feature that show a field. */
interface Model {
  readonly heading: string
  readonly fields: Fields
  readonly lists: readonly [v3: Resource, v4: Resource]
  readonly beside: Readonly<Record<string, readonly string[]>>
}

const MODELS: readonly Model[] = [
  {
    heading: 'Events',
    fields: EVENT,
    lists: [events, allEventsV4],
    beside: { id: ['id'], coordinates: ['geometry'] },
  },
  {
    heading: 'Event series',
    fields: SERIES,
    lists: [eventSeriesV3, eventSeriesV4],
    beside: { uuid: ['id'], bounds: ['bbox', 'geometry'] },
  },
  {
    heading: 'Observation types',
    fields: OBSERVATION_TYPE,
    lists: [observationTypesV3, observationTypesV4],
    beside: {},
  },
]

/** The titles of members that lists add to the model. */
const ADDED: Readonly<Record<string, string>> = { url: 'Address', the_geom: 'Place, a second time' }

const HEADER = ['field', 'JSON v3', 'JSON v4', 'GeoJSON, CSV', '`/ogc`', 'tiles', 'file', 'filters', 'order', 'body']

const NONE = '–'
const quoted = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ') || NONE

/** Writes the names in version 3, and adds the names in version 4 if they differ. */
const versions = (v3: readonly string[], v4: readonly string[]): string => {
  if (v3.join() === v4.join()) return quoted(v3)
  return v3.length === 0 ? `v4: ${quoted(v4)}` : `${quoted(v3)}; v4: ${quoted(v4)}`
}

const namesIn = (list: Resource, form: 'view' | 'flat'): string[] => list[form].members.map(({ name }) => name)

const namesOn = (fields: Fields, surface: Surface, version: 'v3' | 'v4' = 'v3'): string[] =>
  membersOf(fields, surface, version).map(({ name }) => name)

/** The names of the filters of a field in a list. */
const filterNames = ({ filters = [] }: ModelField, list: Resource): string[] =>
  filters.flatMap(({ v3, v4, members }) => {
    const name = [v4, v3].find((each) => each !== undefined && list.filters.has(each))
    return name === undefined ? [] : [members ? `${name}__NAME` : name]
  })

/** Returns the row of a field: its title, and its names on each surface. */
const rowOf = ({ fields, lists, beside }: Model, key: string, field: ModelField): string[] => {
  const one = { [key]: field }
  const [listV3, listV4] = lists
  const own = new Set([
    ...namesOn(one, 'v3'),
    ...namesOn(one, 'v4'),
    ...namesOn(one, 'flat'),
    ...namesOn(one, 'flat', 'v4'),
    ...(key === 'id' ? ['id'] : []),
  ])
  const feature = beside[key] ?? []
  const inView = (list: Resource, form: 'view' | 'flat') => namesIn(list, form).filter((name) => own.has(name))
  const inJson = (list: Resource) => [...new Set([...(list.view.isFeature ? feature : []), ...inView(list, 'view')])]
  const inTable = (list: Resource) => [...new Set([...feature, ...inView(list, 'flat')])]
  const inBody = (version: 'v3' | 'v4') =>
    Object.keys(bodyFields(one, version, listV3.view.isFeature ? 'properties.' : '')).map((path) =>
      path.replace('properties.', ''),
    )
  const orders = (version: 'v3' | 'v4') => (field.orders ?? []).flatMap((order) => order[version] ?? [])
  const inOgc = [...(namesOn(fields, 'ogc').length > 0 ? feature : []), ...namesOn(one, 'ogc')]
  const body = versions(inBody('v3'), inBody('v4'))
  return [
    field.told.title[0],
    quoted(inJson(listV3)),
    quoted(inJson(listV4)),
    versions(inTable(listV3), inTable(listV4)),
    quoted(inOgc),
    quoted(namesOn(one, 'tile')),
    quoted(namesOn(one, 'file')),
    versions(filterNames(field, listV3), filterNames(field, listV4)),
    versions(orders('v3'), orders('v4')),
    field.body?.required ? `required: ${body}` : body,
  ]
}

/** Returns the rows of the members that the lists add. */
const addedRows = ({ fields, lists }: Model): string[][] => {
  const surfaces = [
    namesOn(fields, 'v3'),
    namesOn(fields, 'v4'),
    namesOn(fields, 'flat'),
    namesOn(fields, 'flat', 'v4'),
  ]
  const known = new Set(['id', ...surfaces.flat()])
  const shown = lists.flatMap((list) => [...namesIn(list, 'view'), ...namesIn(list, 'flat')])
  return [...new Set(shown)]
    .filter((name) => !known.has(name))
    .map((name) => {
      const at = (list: Resource, form: 'view' | 'flat') => namesIn(list, form).filter((each) => each === name)
      const [v3, v4] = lists
      const names = [quoted(at(v3, 'view')), quoted(at(v4, 'view')), versions(at(v3, 'flat'), at(v4, 'flat'))]
      return [ADDED[name] ?? `no title for ${name}`, ...names, ...Array(6).fill(NONE)]
    })
}

const tableOf = (model: Model): string => {
  const rows = Object.entries(model.fields).map(([key, field]) => rowOf(model, key, field))
  return [HEADER, HEADER.map(() => '---'), ...rows, ...addedRows(model)]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
}

/** `RECORD=true` writes the tables into the paper, between its headings and the text below each. */
it('docs/fields.md has the fields of the model, and their names on each surface', () => {
  const before = readFileSync(PAPER, 'utf8')
  const after = MODELS.reduce((text, model) => {
    const place = new RegExp(`(\\n## ${model.heading}\\n\\n)(?:\\|.*\\n)*`)
    expect(text).toMatch(place)
    return text.replace(place, (_, heading: string) => `${heading}${tableOf(model)}\n`)
  }, before)
  if (process.env.RECORD === 'true') writeFileSync(PAPER, after)
  else expect(before, 'run RECORD=true npx vitest run --project node test/model/fields').toBe(after)
})
