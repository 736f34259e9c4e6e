/** The part of a budget that one request uses. */
export interface Share {
  /** Uses more of the budget. False: it does not have so much, and nothing changes. */
  readonly grow: (amount: number) => boolean
  /** Gives everything back. */
  readonly end: () => void
}

/** Opens a share. `least`: the budget has at least so much for a client that uses nothing yet. */
export type Budget = (client: string | null, now: number, least?: number) => Share

interface Used {
  readonly client: string | null
  /** In milliseconds since 1970. */
  readonly since: number
  amount: number
}

/**
 * Makes a budget: one client uses at most so much at a time, and all clients together use at most so much. Null is a client
 * without a bound of its own. A cancelled request never gives its share back, so the budget drops it after `gone` milliseconds.
 */
export const makeBudget = (ofClient: number, ofAll: number, gone: number): Budget => {
  const shares = new Set<Used>()
  const sumOf = (counts: (used: Used) => boolean) =>
    [...shares].reduce((sum, used) => sum + (counts(used) ? used.amount : 0), 0)
  return (client, now, least = 0) => {
    for (const used of shares) if (now - used.since >= gone) shares.delete(used)
    const used: Used = { client, since: now, amount: 0 }
    shares.add(used)
    const grow = (amount: number) => {
      const isTooMuch =
        sumOf(() => true) + amount > Math.max(ofAll, least) ||
        (client !== null && sumOf((other) => other.client === client) + amount > Math.max(ofClient, least))
      if (!isTooMuch) used.amount += amount
      return !isTooMuch
    }
    return { grow, end: () => void shares.delete(used) }
  }
}
