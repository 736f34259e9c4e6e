/** The access modifiers of event series: a caller sees a series when its level reaches the number. */
export const ACCESS_LEVELS = { Public: 0, Common: 100, Private: 200, Hidden: 300 } as const

export type AccessName = keyof typeof ACCESS_LEVELS

/** The name of an access modifier's number, such as `Common` for 100; undefined for a number that has none. */
export const accessName = (level: number): AccessName | undefined => NAMES.get(level)

const NAMES = new Map<number, AccessName>(
  Object.entries(ACCESS_LEVELS).map(([name, level]) => [level, name as AccessName]),
)

/** The number of an access modifier's name, in any case, or null for a text that is none. */
export const levelOf = (name: string): number | null => LEVELS.get(name.toLowerCase()) ?? null

const LEVELS = new Map<string, number>(
  Object.entries(ACCESS_LEVELS).map(([name, level]) => [name.toLowerCase(), level]),
)
