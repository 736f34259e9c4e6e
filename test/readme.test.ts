import { beforeAll, describe, expect, it } from 'vitest'
import api from '../docs/api.md?raw'
import clients from '../docs/clients.md?raw'
import fields from '../docs/fields.md?raw'
import operating from '../docs/operating.md?raw'
import readme from '../README.md?raw'
import { PRODUCT } from '../src/base/product.ts'
import { NOT } from '../src/filters/filter.ts'
import environment from '../src/http/env.ts?raw'
import { allEventsV4, events, eventsV4 } from '../src/lists/event.ts'
import type { Resource } from '../src/lists/resource.ts'
import { MAX_PAGE_SIZE } from '../src/lists/resource.ts'
import { eventSeriesV3, eventSeriesV4 } from '../src/lists/series.ts'
import { observationTypesV3, observationTypesV4 } from '../src/lists/type.ts'
import settings from '../wrangler.toml?raw'
import { freshDatabase } from './database.ts'
import { get, load, ORIGIN, post, send, unhinted, withKey } from './service.ts'

beforeAll(() => load())

/** The pages whose commands, examples and tables are tested here. */
const PAGES = [readme, api, clients, operating]

/** The text from a heading to the next heading of its level or above, on the one page that has it. */
const section = (heading: string): string => {
  const [, level = ''] = /^(#+) /.exec(heading) ?? []
  const found = PAGES.flatMap((page) => page.split(`\n${heading}\n`)[1] ?? [])
  if (found.length !== 1) throw new Error(`${found.length} pages have the heading ${heading}`)
  return found[0]?.split(new RegExp(`\n#{1,${level.length}} `))[0] ?? ''
}

it('the product has one name in the papers and in every description', async () => {
  const names = [await get('/openapi.json'), await get('/ogc/api')].map(({ info }) => info.title)
  expect([...names, (await get('/ogc')).title]).toEqual([PRODUCT, PRODUCT, PRODUCT])
  expect(readme.startsWith(`# ${PRODUCT}\n`)).toBe(true)
  expect(section('## Variables')).toContain(`Empty: ${PRODUCT}.`)
})

it('each block of code in the papers ends', () => {
  for (const page of PAGES) expect(page.match(/^ *```/gm)?.length ?? 0).toSatisfy((fences: number) => fences % 2 === 0)
})

/** The cells of the first table of a text, without its header. */
const tableOf = (text: string): string[][] => {
  const lines = /^\|.*(?:\n\|.*)*/m.exec(text)?.[0].split('\n') ?? []
  return lines.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim()),
  )
}

/** The texts between backticks. */
const quoted = (cell = ''): string[] => Array.from(cell.matchAll(/`([^`]+)`/g), ([, text = '']) => text)

const LOOKUPS = new Map(
  tableOf(section('### Lookups')).flatMap(([kinds = '', names]) =>
    kinds.split(', ').map((kind) => [kind, quoted(names)] as const),
  ),
)

/** This test comes first, because examples below write events, and a plan depends on the number of events. */
it('the example of a plan is the answer of the service', async () => {
  // A new isolate has no statistics of other tests. Its first request reads them.
  const DB = freshDatabase()
  const options = { vars: { SHOW_COST: 'true', DB }, headers: { 'Cache-Control': 'no-cache' } }
  const examples = Array.from(section('## Plans').matchAll(/`([^`]+)` has [^`]*```json\n([^`]*)```/g))
  expect(examples).toHaveLength(1)
  await get('/api/v3/events/', options)
  for (const [, query = '', shown = ''] of examples) {
    const { plan } = await get(`/api/v3/events/?${query}&explain=true`, options)
    expect(plan).toEqual({ ...JSON.parse(shown), trips: expect.any(Array) })
  }
})

/** Returns the filters of a list, and the filters of an attribute with the name NAME. */
const filtersOf = ({ filters }: Resource) =>
  new Map([...filters].flatMap((one) => [...(one[1].members?.(`${one[0]}__NAME`) ?? [one])]))

/** The lists with tables of filters. The last column of a common table tells the lists of a row. */
const FILTERED: [heading: string, lists: string[], resources: Resource[]][] = [
  ['### Events: `/api/v3/events/`', [''], [events]],
  ['### Event series and observation types', ['series', 'series in v3'], [eventSeriesV3]],
  ['### Event series and observation types', ['series', 'series in v4'], [eventSeriesV4]],
  ['### Event series and observation types', ['types'], [observationTypesV3, observationTypesV4]],
]

describe.each(FILTERED)('%s %j', (heading, lists, resources) => {
  const own = tableOf(section(heading)).filter(([, , , , of = '']) =>
    of.split(', ').some((list) => lists.includes(list)),
  )
  const rows = own.map(([parameters, lookups = '', , example]) => {
    const [kind = '', ...others] = lookups.split(', ')
    const first = kind === '–' ? [] : (LOOKUPS.get(kind) ?? [`no lookups of ${kind}`])
    const ends = [...first, ...others.flatMap((other) => LOOKUPS.get(other) ?? [])]
    const given = quoted(parameters)
    const names = given.flatMap((field) => [field, ...ends.map((end) => `${field}__${end}`)])
    const bare = ends.length === 0 ? null : (quoted(lookups)[0] ?? 'exact')
    return { given, kind, names, bare, example: quoted(example)[0] ?? '' }
  })

  it('lists all parameters and no others', () => {
    // One sentence tells the names of complements, see test/filters/complement.test.ts.
    for (const resource of resources)
      expect(rows.flatMap(({ names }) => names).sort()).toEqual(
        [...filtersOf(resource).keys()].filter((name) => !name.endsWith(NOT)).sort(),
      )
  })

  it.each(rows)('the example of $given finds items', async ({ given, kind, names, bare, example }) => {
    expect(names).toContain(example.replace(/=.*/, '').replace(/^attributes__[a-z]+/, 'attributes__NAME'))
    for (const resource of resources) {
      const filters = filtersOf(resource)
      for (const field of bare === null ? [] : given) {
        const plain = filters.get(field)
        expect([plain?.kind, plain?.lookup]).toEqual([kind, filters.get(`${field}__${bare}`)?.lookup])
      }
      const { count } = await get(`${resource.path}?${example}`)
      expect(count).toBeGreaterThan(0)
    }
  })
})

/** Applies a jq program to a value. Programs have paths such as `.results[].id`, arrays of paths, and pipes. */
const select = (program: string, value: unknown): unknown[] =>
  program.split(' | ').reduce<unknown[]>((values, step) => values.flatMap((each) => stepOf(step, each)), [value])

const stepOf = (step: string, value: unknown): unknown[] => {
  const list = /^\[(.*)\]$/.exec(step)?.[1]
  if (list !== undefined) return [list.split(', ').flatMap((path) => stepOf(path, value))]
  const names = Array.from(step.matchAll(/\.(\w+)|\[\]/g), ([, name]) => name)
  return names.reduce<unknown[]>(
    (values, name) => values.flatMap((each) => (name === undefined ? (each as unknown[]) : [Object(each)[name]])),
    [value],
  )
}

/** Parses a text of JSON: one object, or one value per line. */
const valuesOf = (text: string): unknown[] =>
  text.startsWith('{') ? [JSON.parse(text)] : text.split('\n').map((line) => JSON.parse(line))

/** The commands of a section that are followed by their answer. */
const examplesOf = (heading: string) =>
  Array.from(
    section(heading).matchAll(/```sh\n(.*)\n```\n\n```json\n([^`]*)\n```/g),
    ([, command = '', answer = '']) => [command, answer] as const,
  )

describe('an example of README.md gives the answer shown there', () => {
  const examples = examplesOf('## Try')

  it('README.md has four examples', () => {
    expect(examples).toHaveLength(4)
  })

  it.each(examples)('%s', async (command, answer) => {
    const [, address = '', data, program = ''] =
      /^curl -s '([^']+)'(?: --data-urlencode '([^']+)')? \| jq (?:-c )?'?(.*?)'?$/.exec(command) ?? []
    expect(address.startsWith(ORIGIN)).toBe(true)
    const [name, value] = data?.split(/=(.*)/s) ?? []
    const response = await send(address, value === undefined ? {} : post(`${name}=${encodeURIComponent(value)}`))
    expect(unhinted(select(program, await response.json()))).toEqual(unhinted(valuesOf(answer)))
    // jq -c writes no blanks.
    if (!answer.startsWith('{'))
      expect(answer).toBe(
        valuesOf(answer)
          .map((value) => JSON.stringify(value))
          .join('\n'),
      )
  })
})

it('the example of a description is the one of its series', async () => {
  const [, address = '', shown = ''] =
    /`(\S+\/metadata\/)`[^`]*```json\n([^`]*)```/.exec(section('### The description of a series')) ?? []
  expect(await get(address)).toEqual(JSON.parse(shown))
})

it('the example of facets gives the answer shown there', async () => {
  const [[command = '', answer = ''] = []] = examplesOf('## Summary')
  const [, address = ''] = /^curl -s '([^']+)'/.exec(command) ?? []
  const { facets, time } = await get(address)
  const bins = time.bins
    .slice(0, 2)
    .map(([start, count]: [number, number]) => [new Date(start).toISOString().replace('.000Z', 'Z'), count])
  expect([facets.category.entries.slice(0, 2), bins]).toEqual(valuesOf(answer))
})

it('the example of CQL2 gives the answer shown there', async () => {
  const [[command = '', answer = ''] = []] = examplesOf('## OGC API - Features')
  const [, address = '', limit, filter = '', program = ''] =
    /^curl -sG (\S+) -d (\S+) --data-urlencode "filter=([^"]+)" \| jq -c '(.*)'$/.exec(command) ?? []
  const body = await get(`${address}?${limit}&filter=${encodeURIComponent(filter)}`)
  expect(select(program, body)).toEqual(valuesOf(answer))
})

describe('an address in docs/clients.md is a 200', () => {
  const addresses = clients.matchAll(/http:\/\/localhost:8787[^\s'"`*]*/g)

  it.each([...new Set(Array.from(addresses, ([address]) => address.replace(/[.,]$/, '')))])('%s', async (address) => {
    const { status, body } = await send(address.replace('{z}/{y}/{x}', '0/0/0'))
    await body?.cancel()
    expect(status).toBe(200)
  })
})

describe('a polling request in docs/clients.md finds new events', () => {
  const addresses = Array.from(section('### Polling').matchAll(/'(http[^']+)'/g), ([, address = '']) => address)

  it.each(['last_modified__gt', 'id__gt'])('%s finds events, and nothing after the greatest value', async (name) => {
    const given = addresses.find((each) => each.includes(name)) ?? ''
    const address = new URL(given)
    address.searchParams.set('format', 'geojson')
    const { numberMatched, features } = await get(address.href)
    expect(numberMatched).toBeGreaterThan(0)
    expect((await send(given)).headers.get('X-Total-Count')).toBe(String(numberMatched))
    const greatest = features.reduce(
      (last: string | number, { id, properties }: { id: number; properties: { last_modified: string } }) => {
        const value = name === 'id__gt' ? id : properties.last_modified
        return value > last ? value : last
      },
      name === 'id__gt' ? 0 : '',
    )
    address.searchParams.set(name, String(greatest))
    expect((await get(address.href)).numberMatched).toBe(0)
  })
})

describe('the writing examples', () => {
  const lines = Array.from(section('## Writing').matchAll(/```sh\n(.*)\n```/g), ([, line = '']) => line)

  it('create, change and delete an event in this order', async () => {
    const { headers, vars } = await withKey('writer')
    const statuses: number[] = []
    for (const line of lines) {
      const [, method, quoted, plain = '', body] =
        /^curl -u __key__:KEY (?:-X (\w+) )?(?:'([^']+)'|(\S+))(?: --json '(.*)')?$/.exec(line) ?? []
      const sent = body === undefined ? {} : { 'Content-Type': 'application/json' }
      const options = {
        method: method ?? 'POST',
        body: body ?? null,
        headers: { ...headers, ...sent },
        vars: vars ?? {},
      }
      const response = await send(quoted ?? plain, options)
      expect((quoted ?? plain).startsWith(ORIGIN)).toBe(true)
      statuses.push(response.status)
    }
    expect(statuses).toEqual([201, 201, 200, 204])
  })
})

it('the example of writing a feature under /ogc is a 201', async () => {
  const { headers, vars } = await withKey('writer')
  const line =
    /curl -u __key__:KEY (\S+) -H 'Content-Type: (\S+)' -d '(.*)'/.exec(section('## OGC API - Features')) ?? []
  const [, address = '', type = '', body = ''] = line
  const options = { method: 'POST', body, headers: { ...headers, 'Content-Type': type }, vars: vars ?? {} }
  expect((await send(address, options)).status).toBe(201)
})

describe('the table has accepted geometries', () => {
  const forms = tableOf(section('### geom_within')).flatMap(([, example]) => quoted(example))

  it.each(forms)('%s', async (form) => {
    expect(await get(`/api/v3/events/?geom_within=${encodeURIComponent(form)}`)).toHaveProperty('count')
  })
})

it('the events of one series have the filters of all events, except those that the guide names', () => {
  const others = [...allEventsV4.filters.keys()].filter((name) => !eventsV4.filters.has(name))
  expect(others.filter((name) => !/^(id|object|event_series|bbox|datetime)/.test(name))).toEqual([])
  expect([...eventsV4.filters.keys()].filter((name) => !allEventsV4.filters.has(name))).toEqual([])
  expect(section('### Events: `/api/v4/events/` and `/api/v4/eventseries/<uuid>/events/`')).toContain(
    'by `id`, `object`, the series, `bbox`',
  )
})

const LISTS: readonly Resource[] = [
  ...[events, eventSeriesV3, eventSeriesV4, eventsV4, allEventsV4],
  ...[observationTypesV3, observationTypesV4],
]

describe('the section about pages and orderings', () => {
  const text = section('## Pages and order')

  it('has the largest page sizes of the lists', () => {
    expect(text).toContain(`at most ${MAX_PAGE_SIZE.toLocaleString('en')} events or 1,000 items of other lists`)
    expect(LISTS.map(({ maxPageSize }) => maxPageSize)).toEqual([
      ...[MAX_PAGE_SIZE, 1000, 1000, MAX_PAGE_SIZE, MAX_PAGE_SIZE, 1000, 1000],
    ])
  })

  it('has the order that docs/fields.md lacks', () => {
    expect(text).toContain('Events also have the order `distance`')
  })

  it.each<[heading: string, v3: Resource[], v4: Resource[]]>([
    ['Events', [events], [eventsV4, allEventsV4]],
    ['Event series', [eventSeriesV3], [eventSeriesV4]],
    ['Observation types', [observationTypesV3], [observationTypesV4]],
  ])('docs/fields.md has the other orders of %s', (heading, ...versions) => {
    const rows = tableOf(fields.split(`\n## ${heading}\n`)[1] ?? '').map((cells) => (cells[8] ?? '').split('v4: '))
    const told = [rows.map(([v3]) => v3), rows.map(([v3, v4 = v3]) => v4)].map((cells) => cells.flatMap(quoted).sort())
    versions.forEach((lists, i) => {
      for (const { orderings } of lists)
        expect(told[i]).toEqual(
          Object.keys(orderings)
            .filter((name) => name !== 'distance')
            .sort(),
        )
    })
  })
})

describe('the table of formats', () => {
  const rows = tableOf(section('## Formats')).map((cells) => cells.flatMap((cell) => quoted(cell)))

  it('has the media types of a list', async () => {
    const { renders } = await get(events.path, { method: 'OPTIONS' })
    expect([...new Set(rows.map(([, type]) => type))].sort()).toEqual([...renders].sort())
  })

  it.each(rows.map(([name = '', type = '']) => [name, type]))('format=%s is %s', async (name, type) => {
    const { headers } = await send(`${events.path}?format=${name}`, { headers: { Accept: type } })
    expect(headers.get('Content-Type')?.split(';')[0]).toBe(type)
  })
})

describe('the table of variables', () => {
  const rows = tableOf(section('## Variables')).map(([name, preset = '']) => [
    quoted(name)[0] ?? '',
    quoted(preset)[0] ?? '',
  ])

  it('has the variables of the Worker, with the defaults of wrangler.toml', () => {
    const given = Array.from(environment.matchAll(/^ {2}(\w+)\?: string$/gm), ([, name]) => name)
    const presets = Array.from(settings.matchAll(/^([A-Z_]+) = "(.*?)"/gm), ([, name, preset]) => [name, preset])
    expect(rows.map(([name]) => name).sort()).toEqual(given.sort())
    expect(rows).toEqual(expect.arrayContaining(presets))
  })

  it.each([
    [undefined, false],
    ['', false],
    ['false', false],
    ['true', true],
  ])('SHOW_COST %j', async (SHOW_COST, shown) => {
    const { headers } = await send('/api/v3/events/', { vars: SHOW_COST === undefined ? {} : { SHOW_COST } })
    const stages = 'ask;dur=\\d+, read;dur=\\d+, write;dur=\\d+'
    const figures = 'd1;dur=[\\d.]+, rows_read;desc="\\d+", round_trips;desc="1", cache;desc="none"'
    const told = expect.stringMatching(new RegExp(`^${stages}, ${figures}$`))
    expect(headers.get('Server-Timing')).toEqual(shown ? told : null)
  })
})
