/** Returns a script of schema/postgres as SQL without the commands of psql. Its variables have their defaults. */
export const plainSql = (script: string): string => {
  const defaults = script.matchAll(/^ *\\set (\w+) (\w+)$/gm)
  const plain = script.replace(/^ *\\.*$/gm, '')
  return filled(plain, Object.fromEntries(Array.from(defaults, ([, name, value]) => [name, value])))
}

/** Puts values in place of the variables of a script. A variable stands alone, or between quotes. A cast has two colons. */
export const filled = (script: string, values: Readonly<Record<string, string>>): string =>
  script.replace(/(?<![:\w]):(['"]?)(\w+)\1(?!\w)/g, (whole, quote: string, name: string) => {
    const value = values[name]
    return value === undefined ? whole : `${quote}${value}${quote}`
  })
