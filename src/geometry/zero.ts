/**
 * The exact side test is fast for coordinates of this size and larger. Smaller ones need long integers, which take ten
 * times as long.
 */
const NEAREST = 1e-100

/** Returns the coordinate, or 0 if it is nearer to 0 than 1e-100 degrees. */
export const zeroIfNear = (coordinate: number): number => (Math.abs(coordinate) < NEAREST ? 0 : coordinate)
