/** Options of a test that repeats a behaviour with many inputs. `npm test` leaves it out, `npm run test:all` runs it. */
export const EXHAUSTIVE = { tags: 'exhaustive' } as const

/** Splits the rows of a table. Every `n`-th row runs in `npm test`, the others are exhaustive. */
export const splitRows = <T>(n: number, rows: readonly T[]): [options: { tags?: 'exhaustive' }, rows: T[]][] => [
  [{}, rows.filter((_, i) => i % n === 0)],
  [EXHAUSTIVE, rows.filter((_, i) => i % n !== 0)],
]
