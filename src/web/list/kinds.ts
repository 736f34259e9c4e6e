/** The input of a kind of value. */
interface Kind {
  /** The lookups that have a line at first. The empty one is the field without a lookup. */
  readonly first: readonly string[]
  readonly example: string
  /** The message for a value that the service cannot read. It suits a form better than the service's own message. */
  readonly fault?: string
}

const KINDS: Readonly<Record<string, Kind>> = {
  text: { first: ['icontains'], example: '' },
  words: { first: [''], example: 'maria "tropical storm" hurr*' },
  integer: { first: [''], example: '986' },
  instant: {
    first: ['gte', 'lt'],
    example: '2018-02-05 14:30 or now-7d',
    fault:
      'Enter a time in UTC, such as 2018-02-05 14:30, 2018-02-05, 2018-02 or 2018, with a zone, such as 2018-02-05T14:30+01:00, or from now, such as now-7d.',
  },
  duration: {
    first: ['gte'],
    example: '06:00:00 or PT6H',
    fault: 'Enter a length of time, such as 06:00:00, 2 00:00:00 for two days, or PT6H.',
  },
  uuid: { first: [''], example: 'full uuid' },
  'uuid prefix': { first: [''], example: 'uuid or its first characters' },
  object: { first: [''], example: 'airport$986' },
  geometry: { first: [''], example: 'POLYGON ((3 50, 8 50, 8 54, 3 50))' },
  box: { first: [''], example: '3,50,8,54' },
  interval: { first: [''], example: '2018-02-05/2018-02-06 or now-7d/..' },
}

export const kindOf = (kind: string): Kind => KINDS[kind] ?? { first: [''], example: '' }

const WORDS: Readonly<Record<string, string>> = {
  '': 'is',
  exact: 'is exactly',
  iexact: 'is, ignoring case',
  contains: 'contains (same case)',
  icontains: 'contains',
  startswith: 'starts with (same case)',
  istartswith: 'starts with',
  endswith: 'ends with (same case)',
  iendswith: 'ends with',
  in: 'is one of (a, b)',
  not: 'is not',
  exact__not: 'is not exactly',
  in__not: 'is none of (a, b)',
  isnull: 'is missing',
  regex: 'matches (same case)',
  iregex: 'matches',
  lt: 'less than',
  lte: 'at most',
  gt: 'more than',
  gte: 'at least',
  range: 'from, to (a, b)',
}

const OF_INSTANTS: Readonly<Record<string, string>> = {
  lt: 'before',
  lte: 'until',
  gt: 'after',
  gte: 'from',
  range: 'from, until (a, b)',
}

/** Returns the name of a lookup for people. */
export const wordOf = (lookup: string, kind: string): string =>
  (kind === 'instant' ? OF_INSTANTS[lookup] : undefined) ?? WORDS[lookup] ?? lookup
