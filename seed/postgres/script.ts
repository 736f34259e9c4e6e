/** Returns a script of schema/postgres as SQL without the commands of psql. Its variables have their defaults. */
export const plainSql = (script: string): string => {
  const defaults = script.matchAll(/^ *\\set (\w+) (\w+)$/gm)
  const plain = script.replace(/^ *\\.*$/gm, '')
  return [...defaults].reduce((text, [, name, value]) => text.replace(variable(name), `$1${value}$1`), plain)
}

/** A variable that stands alone, or between quotes. A cast has two colons. */
const variable = (name = '') => new RegExp(`(?<![:\\w]):(['"]?)${name}\\1(?!\\w)`, 'g')
