/** Options of a test that repeats a behaviour with many inputs. `npm test` leaves it out, `npm run test:all` runs it. */
export const EXHAUSTIVE = { tags: 'exhaustive' } as const
