/** The part of a budget that one request uses. */
export interface Share {
  /** Uses more of the budget. Returns false, and changes nothing, if the budget has less than `amount` left. */
  readonly grow: (amount: number) => boolean
  /** Gives the whole share back. */
  readonly end: () => void
  /** Returns how much all shares use together. */
  readonly total: () => number
}

/** Opens a share of a budget. Both limits are at least `least`, so that one large request can always run alone. */
export type Budget = (client: string | null, now: number, least?: number) => Share

interface Used {
  readonly client: string | null
  /** Milliseconds since 1970. */
  readonly since: number
  amount: number
}

/**
 * Makes a budget with one limit for each client, and one for all clients together. A null client has only the second
 * limit. A cancelled request never gives its share back, so a share ends after `gone` milliseconds.
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
    return { grow, end: () => void shares.delete(used), total: () => sumOf(() => true) }
  }
}
