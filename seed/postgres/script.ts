/** The names of the tables in the scripts of grades B and C, and their defaults. */
const NAMES = { event: 'event', series: 'event_series', type: 'observation_type' }

/**
 * Returns a script of schema/postgres as SQL without the commands and the variables of psql. `names` has the tables,
 * such as { event: 'events_event' }.
 */
export const plainSql = (script: string, names: Partial<typeof NAMES> = {}): string => {
  const named = Object.entries({ ...NAMES, ...names })
  return named.reduce(
    (text, [name, table]) => text.replaceAll(`:'${name}'`, `'${table}'`).replace(variable(name), ` ${table}`),
    script.replace(/^ *\\.*$/gm, ''),
  )
}

/** A variable that names a table. A cast has two colons. */
const variable = (name: string) => new RegExp(` :${name}\\b`, 'g')
