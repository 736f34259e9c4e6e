/** The exact side test is fast for numbers from this on. Nearer to 0 it needs long integers, and takes ten times as long. */
const NEAREST = 1e-100

/** A coordinate, or 0 for one that is nearer to 0 than 1e-100. */
export const zeroIfNear = (coordinate: number): number => (Math.abs(coordinate) < NEAREST ? 0 : coordinate)
