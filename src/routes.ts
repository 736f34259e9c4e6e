import { version } from '../package.json'
import { NESTED, RESOURCES, ROOTS, SUMMARIES } from './api/versions.ts'
import { serveText, textsOf } from './openapi/texts.ts'
import { serveItem, serveList, serveRoot } from './request/lists.ts'
import { LIST_METHODS, methodsOfItem, methodsOfList, READ_METHODS } from './request/options.ts'
import type { Route } from './request/route.ts'
import { serveSummary } from './request/summary.ts'
import { serveWrite } from './request/write.ts'

export const LISTS = [...RESOURCES, ...NESTED]

/** Makes a route whose path ends in a slash. The path without it redirects here. */
const slashed = (
  path: string,
  methods: readonly string[],
  serve: Route['serve'],
  more: Partial<Route> = {},
): Route => ({
  ...{ path, methods, serve, ...more },
  ...(path !== '/' && { alias: path.slice(0, -1) }),
})

/** The routes of the roots, summaries and lists. Summaries come first: the path of items also matches theirs. */
export const API_ROUTES: readonly Route[] = [
  ...Object.entries(ROOTS).map(([path, entries]) => slashed(path, READ_METHODS, serveRoot(entries, path === '/'))),
  ...SUMMARIES.map((summary) => slashed(summary.path, LIST_METHODS, serveSummary(summary))),
  ...LISTS.flatMap((list) => {
    const write = serveWrite(list)
    return [
      slashed(list.path, methodsOfList(list), serveList(list), { list, write }),
      slashed(`${list.path}:key/`, methodsOfItem(list), serveItem(list), { write }),
    ]
  }),
]

/** The texts that describe the interface, by path. */
export const TEXTS = textsOf({ version, roots: ROOTS, resources: LISTS, summaries: SUMMARIES })

/** The routes of the texts that describe the interface. A slash at the end redirects to the path without it. */
export const TEXT_ROUTES: readonly Route[] = Object.entries(TEXTS).map(([path, text]) => ({
  ...{ path, methods: READ_METHODS, serve: serveText(text), alias: `${path}/` },
}))
