import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { d1Engine } from '../../src/engine/d1/engine.ts'
import { createPlatform } from '../platform/d1.ts'
import { ORIGIN } from '../service.ts'
import { type Found, fetchFrom, type Row, testRows } from './oracle.ts'
import { WORLD } from './world.ts'

// Each list in a request has an end.

const attributes = (count: number) => Array.from({ length: count }, (_, i) => `attributes__a${i}`).join()
const summary = (parameters: string) => `/api/v3/events/summary/?${parameters}`
const faults = (...names: string[]): Found => ({ faults: names })

const LISTS: readonly Row[] = [
  { asks: `fields=${attributes(100)}&category=storm`, finds: [3] },
  { asks: `fields=${attributes(101)}&category=storm`, finds: faults('fields') },
  { asks: `/api/v3/events/3/?format=csv&fields=${attributes(101)}`, finds: faults('fields') },
  { asks: `fields=${'id,'.repeat(1000)}id`, finds: faults('fields') },
  { asks: `/ogc/collections/events/items?f=csv&properties=${attributes(101)}`, finds: faults('properties') },
  { asks: summary(`facets=${attributes(21)}`), finds: faults('facets') },
  { asks: summary(`statistics=${attributes(21)}`), finds: faults('statistics') },
  { asks: summary(`facets=${attributes(10)}&statistics=${attributes(6)}`), finds: faults('statistics') },
  { asks: summary(`distinct=${attributes(21)}`), finds: faults('distinct') },
  { asks: summary(`statistics=${attributes(10)}&distinct=${attributes(11)}`), finds: faults('distinct') },
  { asks: summary(`facets=${attributes(10)}&statistics=value&distinct=${attributes(5)}`), finds: faults('distinct') },
  { asks: summary('by=category&by_size=0'), finds: faults('by_size') },
  { asks: summary(`by=attributes__${'a_'.repeat(2500)}a`), finds: faults('by') },
  { asks: `attributes__${'a_'.repeat(2500)}a=1`, finds: faults(`attributes__${'a_'.repeat(44)}...`) },
  { asks: 'bbox=3,50,8,54,1,2,3', finds: faults('bbox') },
  { asks: 'near=3,50,8&radius=10', finds: faults('near') },
  { asks: 'datetime=2025-01-01/2025-01-02/2025-01-03', finds: faults('datetime') },
  { asks: `start__range=now,${','.repeat(2000)}`, finds: faults('start__range') },
]

const engines = testRows(WORLD, { 'lists of a request': LISTS })

it.each([
  `facets=${attributes(20)}&statistics=value,attributes__depth&by=category`,
  `facets=category,attributes__depth&statistics=${attributes(20)}`,
  `facets=${attributes(20)},attributes__a1`,
  `facets=${attributes(20)}&statistics=value&distinct=category&by=attributes__depth`,
  `facets=category,attributes__depth&statistics=${attributes(10)}&distinct=${attributes(10)}&by=event_series&by_size=100`,
])('a summary with the most names counts all events: %s', async (parameters) => {
  // The limits of Cloudflare, such as 32 arguments of a function.
  const limited = d1Engine(createPlatform(env.DB, [], 1).binding())
  for (const [name, engine] of [...engines, ['D1 with limits', limited] as const]) {
    if (name === 'arrays') continue
    const response = await fetchFrom(engine, `${ORIGIN}${summary(parameters)}`)
    expect(await response.json(), name).toMatchObject({ count: 19 })
  }
})
