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

/** A file, the options as one text, the events as short texts, and a part of the report. */
export type Case = [name: string, content: string | Uint8Array, options: string, events: string[], report?: string]

/** Reads `--name a value --flag`. A value ends at the next `--`, so it may have spaces. */
export const readOptions = (text: string) => {
  const args = text.split(/ (?=--)/).flatMap((each) => each.split(/(?<=^\S+) /))
  return parseOptions(USAGE, args, '', true).options
}

/** Opens a database in a folder of its own for the tests of a file. */
export const openLocal = (title: string) => {
  const at = makeFolder(title)
  let local: Local
  beforeAll(async () => {
    local = await openDatabase(at('state'))
  })
  afterAll(() => local.close())
  return { at, db: () => local.db }
}

/** Opens a database, and loads files into it with the options of a command line. */
export function loading(title: string) {
  const { at, db } = openLocal(title)
  let loads = 0

  /** Loads a file into a series of its own. Returns the events as short texts, and the report. */
  const load = async (name: string, content: string | Uint8Array, options = '') => {
    loads += 1
    const [file, series] = [at(`${loads}-${name}`), `Series ${loads}`]
    writeFileSync(file, content)
    const given = readOptions(`--series ${series}${options && ` ${options}`}`)
    const outcome = await loadFiles(db(), [file], loadOptionsOf(withMapping(given)))
    const { series: all } = await readShort(db())
    const id = all.find((each) => each.name === series)?.id
    const events: string[] = []
    for await (const { events: batch } of readAllEvents(db()))
      events.push(...batch.filter((event) => event.series === id).map(shownOf))
    return { events, report: outcome.survey.join('\n') }
  }
  return { at, load, db }
}

const timeOf = (time: number) => new Date(time).toISOString().replace(/(T00:00)?(:00)?\.000Z$/, '')

/**
 * Writes an event as `start to end @ x y z #id category=value {attributes}`, without empty parts, 00:00, and a height
 * of 0.
 */
const shownOf = ({ start, end, coordinates, external_id, category, value, attributes }: EventRecord): string =>
  [
    start === end ? timeOf(start) : `${timeOf(start)} to ${timeOf(end)}`,
    coordinates && `@ ${coordinates.map((each) => Number(each.toFixed(3))).join(' ')}`.replace(/ 0$/, ''),
    external_id && `#${external_id}`,
    category && `${category}=`,
    value && JSON.stringify(value),
    attributes && JSON.stringify(attributes),
  ]
    .filter(Boolean)
    .join(' ')
