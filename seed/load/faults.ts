const SHOWN = 3
const MAX_KINDS = 20

/** Returns the kind of a fault. It is the reason without the faulty value and with 0 for each number. */
const kindOf = (reason: string): string => reason.replace(/ is .*: (enter|use) /s, ' is …: $1 ').replace(/\d+/g, '0')

/** Receives the reason and the place of a fault. */
export type OnFault = (reason: string, place: () => string) => void

/** Collects the faults in the records of files, grouped by kind. */
export function createFaults(onFault?: OnFault) {
  const kinds = new Map<string, { count: number; readonly first: string[] }>()
  let [count, others] = [0, 0]
  return {
    add: (reason: string, place: () => string): void => {
      count += 1
      onFault?.(reason, place)
      const name = kindOf(reason)
      const kind = kinds.get(name) ?? { count: 0, first: [] }
      if (kinds.size < MAX_KINDS) kinds.set(name, kind)
      if (!kinds.has(name)) others += 1
      kind.count += 1
      if (kind.first.length < SHOWN) kind.first.push(`${place()}: ${reason}`)
    },
    count: (): number => count,
    /** Returns the first three faults of each kind with their places, and the number of the others. */
    lines: (): string[] => [
      ...Array.from(kinds.values(), ({ count, first }) =>
        count > first.length ? [...first, `  and ${count - first.length} more like these`] : first,
      ).flat(),
      ...(others > 0 ? [`and ${others} faults of other kinds`] : []),
    ],
  }
}
