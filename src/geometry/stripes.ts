/**
 * An index over edges (ax, ay, bx, by, ...) by y. It has horizontal stripes of equal height. Each stripe lists the
 * indexes of the edges that meet it, ascending. Source: the y-stripes of tidwall/tg (docs/POLYGON_INDEXING.md).
 */
export interface Stripes {
  edges: Float64Array
  /**
   * The place in `listed` where the list of each stripe begins. The list of stripe s ends where the list of s + 1
   * begins.
   */
  starts: Int32Array
  /** Edge indexes, stripe by stripe. */
  listed: Int32Array
  /** Returns the stripe of any y. A y above or below all edges gets the outermost stripe. */
  stripeOf: (y: number) => number
}

// There is one stripe for every EDGES_A_STRIPE edges. There are fewer stripes if tall edges would be listed more than
// LISTED times on average. Measured on coastlines and stars: with more stripes, building costs more than the tests
// gain.
const EDGES_A_STRIPE = 2
const LISTED = 12

/** Builds the stripes of edges in time linear in their number. */
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

/** Returns the number of edges in the stripe of a y. */
export const depthOf = ({ starts, stripeOf }: Stripes, y: number): number => {
  const stripe = stripeOf(y)
  return (starts[stripe + 1] as number) - (starts[stripe] as number)
}

/**
 * Returns the southern and northern limit of the edges, at most -90 and 90. Points beyond fall into the outermost
 * stripes.
 */
const extent = (edges: Float64Array): [number, number] => {
  let [south, north] = [Infinity, -Infinity]
  for (let i = 1; i < edges.length; i += 2) {
    const y = edges[i] as number // all indexes in this file are below the lengths
    if (y < south) south = y
    if (y > north) north = y
  }
  return [Math.max(south, -90), Math.min(north, 90)]
}

/**
 * Returns a function from y to the number of its stripe. It is monotone: if y is between the ends of an edge, its
 * stripe is between their stripes.
 */
const stripesBetween = (south: number, north: number, stripes: number) => {
  const scale = stripes / Math.max(north - south, 0)
  return (y: number): number => {
    const stripe = (y - south) * scale
    if (stripe >= stripes) return stripes - 1
    return stripe > 0 ? Math.floor(stripe) : 0 // NaN gives 0. It comes from 0 * Infinity in stripes without height.
  }
}

/** Returns the length of all lists together. */
const listings = (edges: Float64Array, stripeOf: (y: number) => number): number => {
  let length = 0
  for (let i = 0; i < edges.length; i += 4) {
    length += Math.abs(stripeOf(edges[i + 1] as number) - stripeOf(edges[i + 3] as number)) + 1
  }
  return length
}

const startsOf = (edges: Float64Array, stripes: number, stripeOf: (y: number) => number): Int32Array => {
  // Each edge adds 1 at its first stripe and subtracts 1 after its last. The running sum is the length of each list.
  // The running sum of the lengths gives the starts.
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
