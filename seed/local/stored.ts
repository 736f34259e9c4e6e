import { LoadError } from '../load/error.ts'
import type { Db } from '../load/rows.ts'
import { hasDatabase, type Local, openDatabase, openRemote } from './database.ts'
import { readDeployment } from './deployment.ts'

/** Opens the deployed database, or the local one in a folder. Throws LoadError if the folder has none. */
export async function openStored(persistTo: string | undefined, remote: boolean): Promise<Local<Db>> {
  if (remote && persistTo !== undefined)
    throw new LoadError('--persist-to and --remote each name a database: use one of them')
  if (remote) return openRemote(await readDeployment())
  if (!hasDatabase(persistTo))
    throw new LoadError(
      `there is no database in ${persistTo ?? '.wrangler/state'}: enter its folder after --persist-to`,
    )
  return openDatabase(persistTo)
}
