import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))
  .map((file) => `src/${file}`)
  .sort()
const schema = ['counts', 'durations', 'sql', 'tables', 'trees'].map((name) => `schema/${name}.ts`)
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

/**
 * Returns the imports of a file, including types. Files of the project are relative to its root, and libraries are
 * names.
 */
const importsOf = (file: string): string[] =>
  Array.from(textOf(file).matchAll(/(?:\bfrom|^import|\bimport\()\s*'([^']+)'/gm), ([, name = '']) =>
    name.startsWith('.') ? relative(root, join(root, dirname(file), name)) : name,
  )

/** The floors, from the ground. A file imports from its own floor and from those below. */
const FLOORS = [
  ['src/base', 'src/geometry'],
  ['src/question', 'src/filters', 'src/cql2'],
  ['src/model'],
  ['schema', 'src/engine', 'src/store'],
  ['src/lists', 'src/formats'],
  ['src/http'],
  ['src/ogc', 'src/openapi', 'src/mcp'],
  ['src/routes.ts', 'src/app.ts'],
  ['src/index.ts', 'src/postgres.ts', 'src/node.ts'],
]

/** The folders that the page uses. The page belongs to no floor. */
const BESIDE = ['src/web', 'src/formats', 'src/geometry', 'src/base']

/** The parts that write SQL. */
const SQL_PARTS = ['engine', 'store']

/** The interface of the engine. */
const ENGINE_INTERFACE = ['engine', 'mark', 'summaries', 'state'].map((name) => `src/engine/${name}.ts`)

/** The files that write items, and those that declare how. Their SQL is in the store. */
const WRITING = [
  ...['create', 'change', 'write'].map((name) => `src/http/${name}.ts`),
  ...['eventWriting', 'seriesWriting'].map((name) => `src/lists/${name}.ts`),
]

/** Files that may write unquoted SQL. */
const RAW_SQL =
  /^(schema\/sql|src\/engine\/(postgres\/sql|d1\/(sql|columns|counts|indexes|pages|paths|plan|seek|where)))\.ts$/

/** Other files that do. To be emptied. */
const RAW_ELSEWHERE = ['src/engine/d1/dictionaries.ts', 'schema/durations.ts']

const partOf = (file: string) => file.replace(/^src\//, '').replace(/\/.*/, '')

describe('layers', () => {
  it('the test finds the files and their imports', () => {
    expect(sources.length).toBeGreaterThan(30)
    expect(importsOf('src/engine/d1/paths.ts')).toEqual(
      expect.arrayContaining(['src/engine/d1/sql.ts', 'src/engine/d1/estimates.ts']),
    )
  })

  const floorOf = (file: string) =>
    FLOORS.findIndex((rooms) => rooms.some((room) => file === room || file.startsWith(`${room}/`)))

  it.each(sources.filter((file) => !file.startsWith('src/web/')))('%s imports no higher floor', (file) => {
    expect(floorOf(file), 'a file without a floor').toBeGreaterThanOrEqual(0)
    const known = importsOf(file).filter((name) => /^(src|schema)\//.test(name))
    expect(known.filter((name) => floorOf(name) < 0 || floorOf(name) > floorOf(file))).toEqual([])
  })

  it.each(sources.filter((file) => file.startsWith('src/web/')))('%s imports only what is beside the page', (file) => {
    const known = importsOf(file).filter((name) => /^(src|schema)\//.test(name))
    expect(known.filter((name) => !BESIDE.some((room) => name.startsWith(`${room}/`)))).toEqual([])
  })

  it('no file imports itself through other files', () => {
    const reach = (from: string, trail: string[]): string[] => {
      if (trail.includes(from)) return [...trail.slice(trail.indexOf(from)), from]
      if (done.has(from)) return []
      const circle = importsOf(from)
        .filter((name) => sources.includes(name))
        .flatMap((name) => reach(name, [...trail, from]))
      done.add(from)
      return circle
    }
    const done = new Set<string>()
    expect(sources.flatMap((file) => reach(file, [])).join(' -> ')).toBe('')
  })

  it('only the connection and its two doors call PostgreSQL', () => {
    const calls = (file: string) => importsOf(file).some((name) => /^pg(\/|$)/.test(name))
    const files = ['connection', 'pool', 'sockets'].map((name) => `src/engine/postgres/${name}.ts`)
    expect(sources.filter(calls)).toEqual(files)
  })

  it('only d1/connection.ts calls D1', () => {
    expect(sources.filter((file) => textOf(file).includes('.prepare('))).toEqual(['src/engine/d1/connection.ts'])
  })

  it('only app.ts and route.ts import Hono', () => {
    const sees = (file: string) => importsOf(file).some((name) => name === 'hono')
    expect(sources.filter(sees)).toEqual(['src/app.ts', 'src/http/route.ts'])
  })

  it('only parts that write SQL import Drizzle', () => {
    const found = sources.filter((file) => importsOf(file).some((name) => name.startsWith('drizzle-orm')))
    expect(found.filter((file) => !SQL_PARTS.includes(partOf(file)))).toEqual([])
  })

  it('parts above the engine import only its interface, except the files that open it or write', () => {
    const isInside = (name: string) => name.startsWith('src/engine/') && !ENGINE_INTERFACE.includes(name)
    const found = sources.filter((file) => !SQL_PARTS.includes(partOf(file)) && importsOf(file).some(isInside))
    const writing = ['change', 'create', 'session'].map((name) => `src/http/${name}.ts`)
    expect(found).toEqual([...writing, 'src/index.ts', 'src/node.ts', 'src/postgres.ts'])
  })

  it.each(WRITING)('%s imports neither Drizzle nor tables', (file) => {
    const isSql = (name: string) => /^drizzle-orm|^schema\/|^src\/engine\/d1\/sql\.ts/.test(name)
    expect(importsOf(file).filter(isSql)).toEqual([])
  })

  it('only the files of SQL write unquoted SQL', () => {
    const writes = (file: string) => /\bsql\.raw\(/.test(textOf(file))
    const found = [...sources, ...schema].filter((file) => writes(file) && !RAW_SQL.test(file))
    expect(found).toEqual(RAW_ELSEWHERE)
  })
})

describe('the rooms of the engine', () => {
  const roomOf = (file: string) => /^src\/engine\/(\w+)\//.exec(file)?.[1] ?? 'door'
  const seenFrom: Readonly<Record<string, readonly string[]>> = {
    door: ['door'],
    shared: ['door', 'shared'],
    d1: ['door', 'shared', 'd1'],
    postgres: ['door', 'shared', 'postgres'],
  }

  it.each(sources.filter((file) => file.startsWith('src/engine/')))(
    '%s imports no other engine and no store',
    (file) => {
      const found = importsOf(file).filter((name) => /^src\/(engine|store|model)\//.test(name))
      const isSeen = (name: string) =>
        name.startsWith('src/engine/') && seenFrom[roomOf(file)]?.includes(roomOf(name)) === true
      expect(found.filter((name) => !isSeen(name))).toEqual([])
    },
  )
})

/** The tests that cover files without a test of the same name. */
const COVERED_BY: [string, string[]][] = [
  ['test/engine/page.test.ts', sources.filter((file) => file.startsWith('src/engine/'))],
  ['test/geometry/within.test.ts', ['src/geometry/edges.ts']],
  ['test/geometry/box.test.ts', ['src/geometry/bbox.ts']],
  ['test/geometry/geojson.test.ts', ['src/geometry/srid.ts']],
  ['test/model/attributes.test.ts', ['src/base/json.ts']],
  ['test/http/limits.test.ts', ['src/base/queue.ts']],
  ['test/oracle/references.test.ts', ['src/http/selection.ts']],
  ['test/oracle/values.test.ts', sources.filter((file) => file.startsWith('src/filters/'))],
  ['test/browser/faults.node.test.ts', ['src/base/messages.ts']],
  ['test/index.test.ts', ['src/app.ts', 'src/base/errors.ts', 'src/routes.ts', 'src/http/route.ts']],
  ['test/http/session.test.ts', ['src/http/session.ts']],
  ['test/postgres/corpus.test.ts', ['src/postgres.ts']],
  ['test/spec.test.ts', sources.filter((file) => file.startsWith('src/lists/'))],
  ['test/engine/page.test.ts', ['src/lists/resource.ts']],
  ['test/oracle/random.test.ts', sources.filter((file) => file.startsWith('src/question/'))],
  ['test/formats/surfaces.test.ts', ['src/formats/shown.ts']],
  ['test/http/sentBack.test.ts', ['src/lists/eventWriting.ts']],
  ['test/http/parameters.test.ts', ['src/http/page.ts']],
  ['test/ogc/writing.test.ts', ['src/ogc/write.ts']],
  ['test/ogc/tiles.test.ts', ['src/ogc/tileDocuments.ts']],
  ['test/formats/surfaces.test.ts', ['src/formats/downloads.ts']],
  ['test/formats/formats.test.ts', ['src/formats/html.ts', 'src/formats/plain.ts', 'src/http/offer.ts']],
  ['test/index.test.ts', ['src/http/headers.ts']],
  ['test/readme.test.ts', ['src/base/product.ts']],
  ['test/http/parameters.test.ts', ['src/base/address.ts']],
  ['test/http/cache.test.ts', ['src/http/code.ts']],
  ['test/http/summary.test.ts', ['src/http/summarise.ts', 'src/http/summaryRequest.ts']],
  ['test/engine/stream.test.ts', ['src/http/content.ts']],
  ['test/http/lists.test.ts', ['respond', 'options', 'read', 'env'].map((name) => `src/http/${name}.ts`)],
  ['test/browser/item.browser.test.ts', ['src/formats/dutch.ts']],
  ['test/browser/build.program.test.ts', ['src/web/world.ts', 'src/formats/pageFiles.ts']],
  ['test/browser/page.browser.test.ts', sources.filter((file) => file.startsWith('src/web/'))],
  ['test/postgres/serve.program.test.ts', ['src/node.ts']],
  [
    'test/openapi/document.program.test.ts',
    ['changes', 'document', 'operations', 'parameters', 'schemas']
      .map((name) => `src/openapi/${name}.ts`)
      .concat('src/base/schema.ts'),
  ],
  ['test/seed/insert.test.ts', ['src/store/batch.ts']],
  ['test/http/changes.test.ts', ['src/store/changes.ts']],
  [
    'test/store/creating.test.ts',
    ['http/create', 'http/write', 'store/fields', 'store/reads', 'model/kinds', 'model/body', 'store/writable'].map(
      (name) => `src/${name}.ts`,
    ),
  ],
  ['test/store/changing.test.ts', ['src/http/change.ts']],
  ['test/store/kept.test.ts', ['events', 'series', 'statement'].map((name) => `src/store/${name}.ts`)],
  ['test/spec.test.ts', sources.filter((file) => file.startsWith('src/model/'))],
  [
    'test/ogc/suite.test.ts',
    ['collectionDocuments', 'documents', 'links', 'request', 'routes'].map((name) => `src/ogc/${name}.ts`),
  ],
  ['test/ogc/items.test.ts', ['collection', 'features'].map((name) => `src/ogc/${name}.ts`)],
  ['test/ogc/api.node.test.ts', ['openapi', 'parameters'].map((name) => `src/ogc/${name}.ts`)],
  ['test/cql2/read.test.ts', ['expression', 'text', 'json', 'tokens'].map((name) => `src/cql2/${name}.ts`)],
  ['test/oracle/cql2.test.ts', ['compare', 'values'].map((name) => `src/cql2/${name}.ts`)],
]

describe('every source file has a test', () => {
  it.each(sources)('%s', (file) => {
    const namesake = file.replace(/^src\/(.*)\.ts$/, 'test/$1.test.ts')
    const covering = COVERED_BY.filter(([, files]) => files.includes(file)).map(([test]) => test)
    expect([namesake, ...covering].filter((test) => existsSync(join(root, test)))).not.toEqual([])
  })
})

describe('a source file', () => {
  it.each(sources)('%s has at most 300 lines', (file) => {
    expect(textOf(file).split('\n').length - 1).toBeLessThanOrEqual(300)
  })
})
