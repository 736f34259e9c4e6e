/** The access modifiers of event series. A caller sees a series if its level is at least the number of the series. */
export const ACCESS_LEVELS = { Public: 0, Common: 100, Private: 200, Hidden: 300 } as const

export type AccessName = keyof typeof ACCESS_LEVELS

/** Returns the name of an access modifier, such as `Common` for 100. It is undefined for an unknown number. */
export const accessName = (level: number): AccessName | undefined => NAMES.get(level)

const NAMES = new Map<number, AccessName>(
  Object.entries(ACCESS_LEVELS).map(([name, level]) => [level, name as AccessName]), // entries widens keys to string
)

/** Returns the number of an access modifier by its name, in any case. It is null for an unknown name. */
export const levelOf = (name: string): number | null => LEVELS.get(name.toLowerCase()) ?? null

const LEVELS = new Map<string, number>(
  Object.entries(ACCESS_LEVELS).map(([name, level]) => [name.toLowerCase(), level]),
)
