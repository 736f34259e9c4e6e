import { CONFIGURATION } from '../local/configuration.ts'
import { checkDatabase } from '../postgres/service.ts'
import { builtNode } from './build.ts'
import type { Service } from './listen.ts'
import type { Monitor } from './monitor.ts'

/** The module src/node.ts of a build. */
export type NodeModule = typeof import('../../src/node.ts')

/** Serves the Worker on a database of PostgreSQL, in this process. Throws LoadError if the database cannot be served. */
export const postgresService = async (
  database: string,
  variables: Readonly<Record<string, string>>,
  monitor: Monitor,
): Promise<Service> => {
  const [, advice] = await checkDatabase(database)
  for (const sentence of advice) console.log(sentence)
  const { DEADLINES, open }: NodeModule = await import(await builtNode())
  const [{ simple }] = CONFIGURATION.ratelimits
  const service = open({ database, deadlines: DEADLINES, variables, limits: simple, log: monitor.log })
  monitor.add([
    {
      name: 'events_database_connections',
      help: 'Open connections to the database.',
      measure: service.connections,
    },
  ])
  return service
}
