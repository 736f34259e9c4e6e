import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type InProcess, openInProcess } from '../inProcess.ts'
import { type Call, traceOf } from '../traced.ts'

// The calls between the stages of the engine, as they happen. test/layers.node.test.ts checks the imports.

/** The folders of the stages, in their order. A function may call its own stage and earlier ones. */
const STAGES = ['conditions', 'candidates', 'plan', 'sql', 'run']

/** This function returns the plan. */
const PLANNER = 'plan/choose.ts choose'

/** Calls of candidates after the plan was made. This one estimates the rows of a cell that is read in parts. */
const AFTER_PLAN = ['plan/portions.ts chunksOf -> candidates/nodes.ts weightBy']

const AREA = 'geom_within=POLYGON((-100 20, -60 25, -65 50, -90 55, -110 40, -100 20))'
const REQUESTS = [
  `/api/v3/events/?${AREA}`,
  `/api/v3/events/?${AREA}&category=hurricane`,
  `/api/v3/events/?${AREA}&timestamp_start__gte=1990-01-01&page_size=all&format=csv`,
  '/api/v3/events/?geom_within=POLYGON((-100 20, -60 20, -60 50, -100 50, -100 20))',
  '/api/v3/events/?category=flood&timestamp_start__gte=1990-01-01&ordering=-timestamp_end',
  '/api/v3/events/?datetime=1990-01-01/2000-01-01&page=40',
  '/api/v3/events/?page=last',
  `/api/v3/events/summary/?${AREA}`,
  '/ogc/collections/events/tiles/WebMercatorQuad/3/3/2?f=mvt',
]

const trace = traceOf(/\/src\/engine\/.*\.ts$/)
const [forward, afterPlan] = [new Set<string>(), new Set<string>()]
let service: InProcess

beforeAll(async () => {
  service = await openInProcess(inject('seeded'), [trace.plugin])
  // The Worker then has the statistics of the events.
  await service.ask('/api/v3/events/?category=hurricane')
})

afterAll(() => service.close())

it.each(REQUESTS)('traces %s', async (path) => {
  const calls = await trace.during(() => service.ask(path))
  expect(calls.length).toBeGreaterThan(20)
  for (const call of calls) if (isForward(call)) forward.add(textOf(call))
  const planned = calls.findIndex(({ name }) => shortOf(name) === PLANNER)
  if (path === REQUESTS[0]) expect(planned, 'no call of PLANNER').toBeGreaterThan(0)
  for (const call of planned < 0 ? [] : calls.slice(planned)) if (isLate(call)) afterPlan.add(textOf(call))
})

it('no stage calls a later one', () => {
  expect([...forward].sort()).toEqual([])
})

it('nothing calls candidates after the plan was made', () => {
  expect([...afterPlan].sort()).toEqual(AFTER_PLAN)
})

/** Returns the number of a stage. It is -1 for code that runs several stages. */
const stageOf = (name: string): number => STAGES.indexOf(shortOf(name).replace(/\/.*/, ''))

const isForward = ({ name, caller }: Call): boolean =>
  caller !== null && stageOf(caller.name) >= 0 && stageOf(name) > stageOf(caller.name)

/** Returns true if another stage calls candidates, outside of the planner. */
const isLate = ({ name, caller }: Call): boolean =>
  isOfCandidates(name) && !(caller !== null && isOfCandidates(caller.name)) && !isInPlanner(caller)

const isOfCandidates = (name: string): boolean => stageOf(name) === STAGES.indexOf('candidates')

const isInPlanner = (call: Call | null): boolean =>
  call !== null && (shortOf(call.name) === PLANNER || isInPlanner(call.caller))

const textOf = ({ name, caller }: Call): string => `${shortOf(caller?.name ?? '')} -> ${shortOf(name)}`

const shortOf = (name: string): string => name.replace('src/engine/', '')
