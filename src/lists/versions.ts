import { allEventsV4, events, eventsV4 } from './event.ts'
import type { Resource } from './resource.ts'
import { eventSeriesV3, eventSeriesV4 } from './series.ts'
import { observationTypesV3, observationTypesV4 } from './type.ts'

const VERSIONS: Readonly<Record<string, readonly Resource[]>> = {
  '/api/v3/': [events, eventSeriesV3, observationTypesV3],
  '/api/v4/': [allEventsV4, eventSeriesV4, observationTypesV4],
}

/** Every list. The last one exists once for each series. */
export const LISTS: readonly Resource[] = [...Object.values(VERSIONS).flat(), eventsV4]

/** The addresses above the lists, with the name and the path of each entry below. */
export const ROOTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '/': { v3: '/api/v3/', v4: '/api/v4/' },
  ...Object.fromEntries(
    Object.entries(VERSIONS).map(([root, resources]) => [
      root,
      Object.fromEntries(resources.map(({ path }) => [path.slice(root.length, -1), path])),
    ]),
  ),
}
