import type { Columns } from './columns.ts'
import type { Position, Ring } from './shapes.ts'

/** A rectangle that the outline of an area crosses. It has the edges that cross it and its events. */
interface Cell {
  readonly west: number
  readonly south: number
  readonly width: number
  readonly height: number
  readonly edges: readonly Edge[]
  readonly events: Uint32Array
}

type Edge = readonly [a: Position, b: Position]

const FINEST = 1e-9 // degrees; a narrower cell is not cut

/**
 * Counts the events in the cells that the outline of an area crosses. The covering has at most `cells` cells. It starts
 * with the world, and repeatedly cuts the cells with the most events into four. Empty cells are dropped.
 */
export const boundaryCandidates = (columns: Columns, ring: Ring, cells: number): number => {
  const edges = ring.slice(1).map((to, i): Edge => [ring[i] as Position, to])
  let open: Cell[] = [{ west: -180, south: -90, width: 360, height: 180, edges, events: within(columns, ring) }]
  let covered = 0 // cells inside the area
  for (let most = mostOf(open); most > 1; most = mostOf(open)) {
    // Cut all cells with at least half of the maximum in one round. Cutting them one by one gives an equal result.
    const crowded = open.filter(({ events, width }) => events.length * 2 >= most && width > FINEST)
    const cut = new Set(crowded.slice(0, Math.ceil((cells - open.length - covered) / 3)))
    if (cut.size === 0) break
    const quarters = [...cut].flatMap((cell) => quartersOf(columns, cell))
    covered += quarters.filter((cell) => cell.edges.length === 0 && isInside(edges, cell)).length
    open = [...open.filter((cell) => !cut.has(cell)), ...quarters.filter((cell) => cell.edges.length > 0)]
  }
  return open.reduce((sum, { events }) => sum + events.length, 0)
}

/** Returns true if the centre of a cell is inside the area: then an odd number of edges lie east of it. */
const isInside = (edges: readonly Edge[], { west, south, width, height }: Cell): boolean => {
  const [x, y] = [west + width / 2, south + height / 2]
  const eastward = edges.filter(
    ([[ax, ay], [bx, by]]) => ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax),
  )
  return eastward.length % 2 === 1
}

const mostOf = (open: readonly Cell[]): number => open.reduce((most, { events }) => Math.max(most, events.length), 0)

/** Returns the numbers of the events in the bounds of a ring. */
const within = ({ length, x, y }: Columns, ring: Ring): Uint32Array => {
  const [west, east] = extentOf(ring, 0)
  const [south, north] = extentOf(ring, 1)
  const indexes = new Uint32Array(length)
  let count = 0
  for (let i = 0; i < length; i++) {
    const [px, py] = [x[i] as number, y[i] as number]
    if (px >= west && px <= east && py >= south && py <= north) indexes[count++] = i
  }
  return indexes.slice(0, count)
}

const extentOf = (ring: Ring, axis: 0 | 1): [least: number, greatest: number] =>
  ring.reduce<[number, number]>(
    ([least, greatest], position) => [Math.min(least, position[axis]), Math.max(greatest, position[axis])],
    [Infinity, -Infinity],
  )

/** Cuts a cell into four and returns the quarters with events. */
const quartersOf = ({ x, y }: Columns, { west, south, width, height, edges, events }: Cell): Cell[] => {
  const [halfWidth, halfHeight] = [width / 2, height / 2]
  return [0, 1, 2, 3].flatMap((quarter) => {
    const [w, s] = [west + (quarter & 1) * halfWidth, south + (quarter >> 1) * halfHeight]
    const crossing = edges.filter((edge) => crosses(edge, w, s, w + halfWidth, s + halfHeight))
    const isEast = (quarter & 1) === 1
    const isNorth = quarter >> 1 === 1
    const inside = events.filter(
      (i) => (x[i] as number) >= west + halfWidth === isEast && (y[i] as number) >= south + halfHeight === isNorth,
    )
    return inside.length === 0
      ? []
      : [{ west: w, south: s, width: halfWidth, height: halfHeight, edges: crossing, events: inside }]
  })
}

/** Returns true if an edge meets a box: their extents meet, and the corners are not all on one side of the line. */
const crosses = ([[ax, ay], [bx, by]]: Edge, west: number, south: number, east: number, north: number): boolean => {
  if (Math.max(ax, bx) < west || Math.min(ax, bx) > east || Math.max(ay, by) < south || Math.min(ay, by) > north)
    return false
  const side = (x: number, y: number) => Math.sign((bx - ax) * (y - ay) - (by - ay) * (x - ax))
  const first = side(west, south)
  return first === 0 || side(east, south) !== first || side(east, north) !== first || side(west, north) !== first
}
