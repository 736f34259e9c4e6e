import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { ROOT } from '../seed/local/wrangler.ts'
import { type InProcess, openInProcess, type Ran } from './inProcess.ts'

// How many files the way of a request leads through. Each run writes all files and their functions to this report.
const REPORT = join(ROOT, 'node_modules/.cache/path.txt')

const polygon = (...corners: string[]) => encodeURIComponent(`POLYGON((${[...corners, corners[0]].join(', ')}))`)
const AREA = polygon('-100 20', '-60 25', '-65 50', '-90 55', '-110 40')

/** The goal is 35. */
const MOST_FILES = 80

const REQUESTS = [
  ['a polygon', `/api/v3/events/?geom_within=${AREA}`],
  ['a polygon and a category', `/api/v3/events/?category=hurricane&geom_within=${AREA}`],
  ['a polygon as CSV', `/api/v3/events/?format=csv&geom_within=${AREA}`],
  ['a polygon of /ogc', `/ogc/collections/events/items?filter=S_WITHIN(geom,${AREA})`],
  ['a bbox of /ogc', '/ogc/collections/events/items?bbox=-100,20,-60,50'],
  ['a summary', `/api/v3/events/summary/?geom_within=${AREA}`],
  ['a tile', '/ogc/collections/events/tiles/WebMercatorQuad/3/3/2?f=mvt'],
  ['a category', '/api/v3/events/?category=flood'],
  ['the first page', '/api/v3/events/'],
  ['a list of series', '/api/v3/eventseries/'],
  ['an item', '/api/v3/events/1/'],
] as const

let service: InProcess
const reports: string[] = []

beforeAll(async () => {
  service = await openInProcess(inject('seeded'))
  // The Worker then has the statistics of the events.
  await service.ask('/api/v3/events/?category=hurricane')
  await service.ask(`/api/v3/events/?geom_within=${polygon('-10 20', '-6 25', '-5 50', '-9 55')}`)
})

afterAll(async () => {
  mkdirSync(dirname(REPORT), { recursive: true })
  writeFileSync(REPORT, reports.join('\n'))
  await service.close()
})

it.each(REQUESTS)('%s', async (name, path) => {
  const ran = await service.functionsOf(path)
  reports.push(report(name, ran))
  expect(ran.size).toBeGreaterThan(15)
  if (name === 'a polygon') expect([...ran.keys()].length, `see ${REPORT}`).toBeLessThanOrEqual(MOST_FILES)
})

const report = (name: string, ran: Ran): string => {
  const functions = [...ran.values()].reduce((sum, names) => sum + names.length, 0)
  const lines = Array.from(ran, ([file, names]) => `  ${file}: ${[...new Set(names)].join(', ')}`)
  return `${name}: ${ran.size} files, ${functions} functions\n${lines.join('\n')}\n`
}
