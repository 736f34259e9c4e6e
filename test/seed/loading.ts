import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll } from 'vitest'
import { parseOptions } from '../../seed/commands/command.ts'
import { loadOptionsOf, USAGE } from '../../seed/commands/loadOptions.ts'
import { withMapping } from '../../seed/commands/mapping.ts'
import { loadFiles } from '../../seed/load/files.ts'
import { readAllEvents, readShort } from '../../seed/load/stored.ts'
import { type Local, openDatabase } from '../../seed/local/database.ts'
import type { EventRecord } from '../../src/store/records.ts'
import { makeFolder } from './program.ts'

/** A file, the options of the command, the events as short texts, and a part of the report. */
export type Case = [name: string, content: string | Uint8Array, args: string[], events: string[], report?: string]

/** Opens a database, and loads files into it with the options of a command line. */
export function loading(title: string) {
  const at = makeFolder(title)
  let local: Local
  let loads = 0
  beforeAll(async () => {
    local = await openDatabase(at('state'))
  })
  afterAll(() => local.close())

  /** Loads a file into a series of its own. Returns the events as short texts, and the report. */
  const load = async (name: string, content: string | Uint8Array, args: readonly string[] = []) => {
    loads += 1
    const [file, series] = [at(`${loads}-${name}`), `Series ${loads}`]
    writeFileSync(file, content)
    const { options } = parseOptions(USAGE, ['--series', series, ...args], '', true)
    const outcome = await loadFiles(local.db, [file], loadOptionsOf(withMapping(options)))
    const { series: all } = await readShort(local.db)
    const id = all.find((each) => each.name === series)?.id
    const events: string[] = []
    for await (const { events: batch } of readAllEvents(local.db))
      events.push(...batch.filter((event) => event.series === id).map(shownOf))
    return { events, report: outcome.survey.join('\n') }
  }
  return { at, load, db: () => local.db }
}

const timeOf = (time: number) => new Date(time).toISOString().replace(/(:00)?\.000Z$/, '')

/** Writes an event as `start to end @ x y z #id category=value {attributes}`, without empty parts. */
const shownOf = ({ start, end, coordinates, external_id, category, value, attributes }: EventRecord): string =>
  [
    start === end ? timeOf(start) : `${timeOf(start)} to ${timeOf(end)}`,
    coordinates && `@ ${coordinates.map((each) => Number(each.toFixed(3))).join(' ')}`,
    external_id && `#${external_id}`,
    category && `${category}=`,
    value && JSON.stringify(value),
    attributes && JSON.stringify(attributes),
  ]
    .filter(Boolean)
    .join(' ')
