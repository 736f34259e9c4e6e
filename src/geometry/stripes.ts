/**
 * An index over edges (ax, ay, bx, by, ...) by y: equal horizontal stripes, each with the numbers of the edges that meet
 * it, ascending. After the y-stripes of tidwall/tg (docs/POLYGON_INDEXING.md).
 */
export interface Stripes {
  edges: Float64Array
  /** Where the list of a stripe begins in `listed`; the list of stripe s ends where that of s + 1 begins. */
  starts: Int32Array
  /** Numbers of edges, stripe after stripe. */
  listed: Int32Array
  /** The stripe of any y, also of one above or below all edges. */
  stripeOf: (y: number) => number
}

// A stripe for every EDGES_A_STRIPE edges, fewer while the edges are so tall that they would be listed more than LISTED
// times each. Measured on coasts and on stars: more stripes gain less in a test than they cost to build.
const EDGES_A_STRIPE = 2
const LISTED = 12

/** The stripes of edges; built in time linear in their number. */
export const stripesOf = (edges: Float64Array): Stripes => {
  const number = edges.length / 4
  const [south, north] = extent(edges)
  let stripes = Math.max(1, Math.floor(number / EDGES_A_STRIPE))
  let stripeOf = stripesBetween(south, north, stripes)
  while (stripes > 1 && listings(edges, stripeOf) > LISTED * number) {
    stripes = Math.floor(stripes / 2)
    stripeOf = stripesBetween(south, north, stripes)
  }
  const starts = startsOf(edges, stripes, stripeOf)
  return { edges, starts, listed: listedOf(edges, starts, stripeOf), stripeOf }
}

/** How many edges are listed for the stripe of a y. */
export const depthOf = ({ starts, stripeOf }: Stripes, y: number): number => {
  const stripe = stripeOf(y)
  return (starts[stripe + 1] as number) - (starts[stripe] as number)
}

/** South and north of the edges, as far as a point can be: the rest of the plane falls into the outermost stripes. */
const extent = (edges: Float64Array): [number, number] => {
  let [south, north] = [Infinity, -Infinity]
  for (let i = 1; i < edges.length; i += 2) {
    const y = edges[i] as number // below the length, as all reads in this file
    if (y < south) south = y
    if (y > north) north = y
  }
  return [Math.max(south, -90), Math.min(north, 90)]
}

/** Monotone in y, so that the stripe of a point lies between those of the ends of an edge whenever its y does. */
const stripesBetween = (south: number, north: number, stripes: number) => {
  const scale = stripes / Math.max(north - south, 0)
  return (y: number): number => {
    const stripe = (y - south) * scale
    if (stripe >= stripes) return stripes - 1
    return stripe > 0 ? Math.floor(stripe) : 0 // also of NaN: 0 * Infinity in stripes without height
  }
}

/** How long all lists together would be. */
const listings = (edges: Float64Array, stripeOf: (y: number) => number): number => {
  let length = 0
  for (let i = 0; i < edges.length; i += 4) {
    length += Math.abs(stripeOf(edges[i + 1] as number) - stripeOf(edges[i + 3] as number)) + 1
  }
  return length
}

const startsOf = (edges: Float64Array, stripes: number, stripeOf: (y: number) => number): Int32Array => {
  // An edge adds one where it begins and takes one away behind its end; summed twice that gives the starts.
  const change = new Int32Array(stripes + 1)
  for (let i = 0; i < edges.length; i += 4) {
    const a = stripeOf(edges[i + 1] as number)
    const b = stripeOf(edges[i + 3] as number)
    const first = Math.min(a, b)
    const behind = Math.max(a, b) + 1
    change[first] = (change[first] as number) + 1
    change[behind] = (change[behind] as number) - 1
  }
  const starts = new Int32Array(stripes + 1)
  let length = 0
  for (let s = 0; s < stripes; s++) {
    length += change[s] as number
    starts[s + 1] = (starts[s] as number) + length
  }
  return starts
}

const listedOf = (edges: Float64Array, starts: Int32Array, stripeOf: (y: number) => number): Int32Array => {
  const listed = new Int32Array(starts.at(-1) as number)
  const next = starts.slice()
  for (let i = 0; i < edges.length; i += 4) {
    const a = stripeOf(edges[i + 1] as number)
    const b = stripeOf(edges[i + 3] as number)
    const last = Math.max(a, b)
    for (let s = Math.min(a, b); s <= last; s++) {
      const place = next[s] as number
      listed[place] = i / 4
      next[s] = place + 1
    }
  }
  return listed
}
