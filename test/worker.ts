import { CONFIGURATION, PAGE_FILES } from '../seed/local/configuration.ts'
import { openDatabase, run } from '../seed/local/database.ts'

export interface RunningWorker {
  /** It has no slash at its end. */
  readonly address: string
  readonly close: () => Promise<void>
}

/**
 * Serves a built Worker on the local database in a folder, at any free port. `quiet` hides its log. `alone` omits the static
 * assets: they cost each request three more programs here, but none at Cloudflare.
 */
export async function startWorker(
  script: string,
  persistTo: string,
  variables: Readonly<Record<string, string>> = {},
  quiet = false,
  alone = false,
): Promise<RunningWorker> {
  const { close } = await openDatabase(persistTo)
  await close()
  const miniflare = await run(persistTo, {
    script,
    variables: { ...CONFIGURATION.vars, ...variables },
    ...(alone ? {} : { assets: PAGE_FILES }),
    ...(quiet && { log: () => {} }),
  })
  const { origin } = await miniflare.ready
  return { address: origin, close: () => miniflare.dispose() }
}
