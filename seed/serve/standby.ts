import { setTimeout } from 'node:timers/promises'
import { databaseCopy } from '../follow/database.ts'
import { follow } from '../follow/follow.ts'
import { sourceOf } from '../follow/source.ts'
import type { ApiAccess } from '../load/api.ts'
import { reasonOf } from '../load/error.ts'
import { MOST_WAIT, type Service } from './listen.ts'
import type { LocalService } from './local.ts'

/**
 * Serves a copy of a service in a folder, which follows that service meanwhile. `open` opens the service on a folder. The first
 * copy is complete before it opens. `pause` is the time between two questions, in seconds. Throws LoadError for a database
 * that is no copy of the service.
 */
export const standbyService = async (
  folder: string,
  api: ApiAccess,
  pause: number,
  open: (folder: string) => Promise<LocalService>,
): Promise<Service> => {
  const ended = new AbortController()
  const how = { signal: ended.signal, pause, say: console.error }
  let served: LocalService | null = null
  /** Serves a complete copy. Requests to the one before may end. */
  const serve = async (home: string) => {
    const old = served
    served = await open(home)
    if (old !== null) setTimeout(MOST_WAIT, null, { ref: false }).then(old.close)
    // The service goes on while a new copy is read.
    return { ...served.local, close: async () => {} }
  }
  const copy = await databaseCopy(folder, api.address, serve)
  if (served === null) await follow(copy, sourceOf(api), { ...how, isOnce: true })
  const keepFollowing = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      try {
        await follow(copy, sourceOf(api), { ...how, isOnce: false })
      } catch (error) {
        console.error(`The copy does not follow at the moment: ${reasonOf(error).replace(/\n.*/s, '')}`)
        await setTimeout(1000 * pause, null, how).catch(() => {})
      }
    }
  }
  keepFollowing()
  return {
    answer: (...request) => served?.answer(...request),
    // A kill of the copy at any moment loses nothing, so nobody waits for a source that is away.
    close: async () => {
      ended.abort()
      await served?.close()
    },
  }
}
