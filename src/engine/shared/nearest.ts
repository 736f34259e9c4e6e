import type { RowPosition } from '../../question/question.ts'
import { MAX_UNSORTED } from '../limits.ts'
import { type Cut, rowsOf } from './cut.ts'

/** A match, and its distance in metres. */
export interface Placed {
  readonly id: number
  readonly distance: number
}

/**
 * Collects the places of a cut. It drops the others from time to time, so it holds few more than it needs. `isDown`: the
 * farthest come first.
 */
export const firstPlaces = (cut: Cut, isDown: boolean) => {
  const sign = isDown ? -1 : 1
  const compare = (a: Placed, b: Placed) => (a.distance - b.distance || a.id - b.id) * sign
  const { after, skip } = cut
  const start = after && placeOf(after)
  const end = skip + rowsOf(cut)
  let places: Placed[] = []
  let last: Placed | undefined
  const dropOthers = () => {
    places = places.sort(compare).slice(0, end)
    last = places[end - 1]
  }
  return {
    add: (place: Placed): void => {
      if (start !== null && compare(place, start) <= 0) return
      if (last !== undefined && compare(place, last) > 0) return
      places.push(place)
      if (places.length >= end + MAX_UNSORTED) dropOthers()
    },
    /** Returns the places of the cut, in the order of the list. */
    found: (): readonly Placed[] => {
      dropOthers()
      return places.slice(skip)
    },
  }
}

/** A forged position may have a text. No distance comes before it. */
const placeOf = ({ id, value }: RowPosition): Placed => ({
  id,
  distance: typeof value === 'number' ? value : Number.NEGATIVE_INFINITY,
})
