type Random = () => number
/** Longitude and latitude in degrees. */
export type Position = readonly [x: number, y: number]
/** A closed ring. The last position equals the first. */
export type Ring = readonly Position[]

const round = (degrees: number, limit: number) => Math.min(limit, Math.max(-limit, Math.round(degrees * 1e6) / 1e6))

const at = (x: number, y: number): Position => [round(x, 180), round(y, 90)]
const closed = (open: readonly Position[]): Ring => [...open, open[0] as Position]

/** Makes a box around a position. Width and height are in degrees. */
export const box = ([x, y]: Position, width: number, height = width): Ring => {
  const [w, h] = [width / 2, height / 2]
  return closed([at(x - w, y - h), at(x + w, y - h), at(x + w, y + h), at(x - w, y + h)])
}

/** Makes a box from two corners, with many vertices on each side. */
export const densified = ([west, south]: Position, [east, north]: Position, vertices: number): Ring => {
  const corners: Position[] = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
  ]
  return closed(
    corners.flatMap(([x, y], i) => {
      const [toX, toY] = corners[(i + 1) % 4] as Position
      return Array.from({ length: vertices }, (_, n) =>
        at(x + ((toX - x) * n) / vertices, y + ((toY - y) * n) / vertices),
      )
    }),
  )
}

/** Makes a triangle around a position. */
export const triangle = (next: Random, [x, y]: Position, radius: number): Ring => {
  const turn = next() * 2 * Math.PI
  return closed(
    [0, 1, 2].map((i) => {
      const angle = turn + ((i + next() * 0.5) * 2 * Math.PI) / 3
      return at(x + radius * Math.cos(angle), y + radius * Math.sin(angle))
    }),
  )
}

/** Makes a ring whose radius changes slowly. */
export const smooth = (next: Random, centre: Position, radius: number, vertices: number): Ring => {
  const phases = [next(), next()].map((phase) => phase * 2 * Math.PI) as [number, number]
  const share = (angle: number) => 0.8 + 0.12 * Math.sin(3 * angle + phases[0]) + 0.06 * Math.sin(7 * angle + phases[1])
  return around(centre, vertices, (angle) => radius * share(angle))
}

/** Makes a star. Every second vertex is near the centre. */
export const spiky = (next: Random, centre: Position, radius: number, vertices: number): Ring =>
  around(centre, vertices, (_, i) => radius * (i % 2 === 0 ? 0.9 + 0.1 * next() : 0.3 + 0.2 * next()))

const around = ([x, y]: Position, vertices: number, radiusOf: (angle: number, i: number) => number): Ring =>
  closed(
    Array.from({ length: vertices }, (_, i) => {
      const angle = (2 * Math.PI * i) / vertices
      const radius = radiusOf(angle, i)
      return at(x + radius * Math.cos(angle), y + radius * Math.sin(angle))
    }),
  )

/** Makes a comb. Its spine is in the west, and its teeth point to the east. Each tooth has four vertices. */
export const comb = (teeth: number): Ring => {
  const step = 178 / teeth
  const tooth = (i: number): Position[] => {
    const y = -89 + i * step
    return [at(-178, y), at(179, y), at(179, y + step / 2), at(-178, y + step / 2)]
  }
  return closed([at(-179, -89), ...Array.from({ length: teeth }, (_, i) => tooth(i)).flat(), at(-179, 89)])
}

/** Makes a zigzag band of one degree over the whole world. */
export const zigzag = (vertices: number): Ring => {
  const half = vertices / 2
  const line = Array.from({ length: half }, (_, i) => [-179 + (358 * i) / half, i % 2 === 0 ? -80 : 79] as const)
  return closed([...line.map(([x, y]) => at(x, y)), ...line.toReversed().map(([x, y]) => at(x, y + 1))])
}

/** Makes the filter for events inside a ring. */
export const inside = (ring: Ring) => ({
  geom_within: JSON.stringify({ type: 'Polygon', coordinates: [ring] }),
})

/** Returns the WKT of a ring, which is shorter than GeoJSON. */
export const wkt = (ring: Ring): string => `POLYGON((${ring.map(([x, y]) => `${x} ${y}`).join()}))`
