import { coveringOf } from '../../src/geometry/covering.ts'
import type { PreparedArea } from '../../src/geometry/within.ts'

/** Covers an area at once. */
export const covering = (area: PreparedArea, options?: Parameters<typeof coveringOf>[1]) => {
  const steps = coveringOf(area, options)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
