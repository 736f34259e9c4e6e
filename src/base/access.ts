/** The access modifiers of event series. A caller sees a series if its level is at least the number of the series. */
export const ACCESS_LEVELS = { Public: 0, Common: 100, Private: 200, Hidden: 300 } as const

type AccessName = keyof typeof ACCESS_LEVELS

const NAMES = Object.keys(ACCESS_LEVELS) as AccessName[] // keys widens them to strings

/** Returns the name of an access modifier, such as `Common` for 100. It is undefined for an unknown number. */
export const accessName = (level: number): AccessName | undefined => NAMES.find((name) => ACCESS_LEVELS[name] === level)

/** Returns the number of an access modifier by its name, in any case. It is null for an unknown name. */
export const levelOf = (name: string): number | null => {
  const found = NAMES.find((each) => each.toLowerCase() === name.toLowerCase())
  return found === undefined ? null : ACCESS_LEVELS[found]
}
