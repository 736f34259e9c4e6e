import { sql } from 'drizzle-orm'
import { at, numberAt } from '../../base/collections.ts'
import { badRequest } from '../../base/errors.ts'
import { combine } from '../../geometry/within.ts'
import { MAX_LOOK_UPS, MAX_LOOKED_UP } from '../limits.ts'
import { areaOf } from '../shared/area.ts'
import { coverAreas } from './admit.ts'
import type { RowReader } from './database.ts'
import { decideArea, EXACT_POINT, MAX_POINTS } from './decideArea.ts'
import { eachMatch } from './matches.ts'
import { sqlOf, sqlWith } from './part.ts'
import { alsoInArea, type Search } from './search.ts'

/**
 * Replaces the areas under OR or NOT, which SQL cannot test, by the ids of the rows in them. These rows meet the other
 * conditions of the search. Throws a 400 if there are too many.
 */
export const decideLookUps = async (read: RowReader, asked: Search): Promise<Search> => {
  const { lookUps, plain, entries } = asked
  if (lookUps.length === 0) return asked
  const areasOf = lookUps.map((part) => sqlOf(part).areas.map(areaOf))
  const areas = [...new Set(areasOf.flat())]
  if (areas.length > MAX_LOOK_UPS)
    throw badRequest(
      `With OR or NOT a filter may have at most ${MAX_LOOK_UPS} separate geometries. Join geometries directly by OR or AND, or enter boxes.`,
    )
  const any = areas.length === 1 ? at(areas, 0) : combine(areas, (isWithin) => areas.some(isWithin))
  // Texts are tested later, so they do not narrow these rows.
  const decidable = entries.filter(({ test }) => test === undefined)
  const others = { ...asked, entries: decidable, tests: [], lookUps: [], latest: null }
  const search = alsoInArea(others, any)
  const decided = await decideArea(read, search, await coverAreas(read, search))
  refuseMany(decided.count)
  const lists = areas.map((): number[] => [])
  let found = 0
  const sort = (numbers: Float64Array, offset: number) => {
    const [id, x, y] = [numberAt(numbers, offset), numberAt(numbers, offset + 1), numberAt(numbers, offset + 2)]
    for (const [i, area] of areas.entries()) {
      if (!area.contains(x, y)) continue
      at(lists, i).push(id)
      refuseMany(++found)
    }
  }
  await eachMatch(read, decided.search, EXACT_POINT, sort, MAX_POINTS)
  const tests = lists.map((ids) => sql`${asked.table.id} IN (SELECT value FROM json_each(${`[${ids.join(',')}]`}))`)
  const written = lookUps.map((part, i) =>
    sqlWith(
      part,
      at(areasOf, i).map((area) => at(tests, areas.indexOf(area))),
    ),
  )
  return { ...asked, plain: [...plain, ...written], lookUps: [] }
}

const refuseMany = (rows: number): void => {
  if (rows > MAX_LOOKED_UP)
    throw badRequest(
      `With OR or NOT the geometries may contain at most ${MAX_LOOKED_UP.toLocaleString('en')} events. Enter smaller geometries or boxes, or join them by AND.`,
    )
}
