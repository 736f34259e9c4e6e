import { expect } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import type { Geometry } from '../../src/geometry/geometry.ts'
import { type Condition, allOf as every } from '../../src/question/condition.ts'
import { BY_ID } from '../../src/question/question.ts'
import { LEVELS } from './world.ts'

/** Returns the ids of the events of a category in a geometry. A closed geometry has its boundary. */
export const idsIn = async (engine: Engine, category: string | null, within: Geometry, closed: boolean) => {
  const inArea: Condition = { kind: 'area', of: 'point', area: { within, closed } }
  const ofCategory: Condition[] =
    category === null ? [] : [{ kind: 'text', field: 'category', fold: null, test: 'is', texts: [category] }]
  const question = { where: every([...ofCategory, inArea]), latest: null, order: BY_ID }
  const slice = { from: { offset: 0 }, limit: 200_000 }
  const reader = engine.open({ level: LEVELS.Hidden })
  const { rows, count } = await reader.page('events', { ...question, slice }, { fields: ['id'] })
  const ids = rows.map(({ id }) => Number(id))
  expect(ids.length).toBe(count)
  return ids
}
