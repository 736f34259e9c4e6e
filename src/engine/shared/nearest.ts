import type { RowPosition } from '../../question/question.ts'
import { MAX_UNSORTED } from '../limits.ts'

/** A match, and its distance in metres. */
export interface Placed {
  readonly id: number
  readonly distance: number
}

/** A part of a list in the order of distances. `isDown`: the farthest come first. */
interface Part {
  readonly from: RowPosition | null
  readonly offset: number
  readonly limit: number
  readonly isDown: boolean
}

/** Collects the places of a part of a list. It drops the others from time to time, so it holds few more than it needs. */
export const firstPlaces = ({ from, offset, limit, isDown }: Part) => {
  const sign = isDown ? -1 : 1
  const compare = (a: Placed, b: Placed) => (a.distance - b.distance || a.id - b.id) * sign
  const start = from && placeOf(from)
  const end = offset + limit
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
    /** Returns the places of the part, in the order of the list. */
    part: (): readonly Placed[] => {
      dropOthers()
      return places.slice(offset)
    },
  }
}

/** A forged position may have a text. No distance comes before it. */
const placeOf = ({ id, value }: RowPosition): Placed => ({
  id,
  distance: typeof value === 'number' ? value : Number.NEGATIVE_INFINITY,
})
