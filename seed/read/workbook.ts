import { readFile } from 'node:fs/promises'
import { LoadError, reasonOf } from '../load/error.ts'
import type { ReadOptions } from './bytes.ts'
import type { TableCell, TableRow } from './header.ts'

/** Returns the names of the sheets of a workbook. */
export async function sheetNames(file: string): Promise<string[]> {
  const names: string[] = []
  await reading(file, async ({ readXlsx }, bytes) => {
    await readXlsx(bytes, { sheets: ({ name }) => names.push(name) < 0 })
  })
  return names
}

/** Reads the rows of a sheet of a workbook. The file is in memory as it is on disk. */
export async function* sheetRows(
  file: string,
  sheet: string,
  onBytes?: ReadOptions['onBytes'],
): AsyncGenerator<TableRow> {
  const rows = await reading(file, async ({ streamXlsxRows }, bytes) => {
    onBytes?.(bytes)
    return streamXlsxRows(bytes, { sheet })
  })
  for await (const { index, values } of rows) yield { line: index + 1, cells: values.map(cellOf) }
}

/** Loads the library only for a workbook, because it takes 17 MB of memory. */
const load = () => import('hucre/xlsx')

type Library = Awaited<ReturnType<typeof load>>

async function reading<T>(file: string, read: (library: Library, bytes: Buffer) => Promise<T>): Promise<T> {
  try {
    return await read(await load(), await readFile(file))
  } catch (cause) {
    const reason = `${file} is no Excel workbook: unpack it, or save it as .xlsx or CSV (${reasonOf(cause)})`
    throw new LoadError(reason, { cause })
  }
}

/** Returns the content of a cell. A date becomes ISO 8601 without a zone, and a time of day becomes a time alone. */
function cellOf(value: unknown): TableCell {
  if (value instanceof Date) return dateOf(value)
  if (typeof value === 'number' || typeof value === 'boolean') return value
  return value === null || value === undefined ? '' : String(value)
}

/** Excel counts a time of day from a day before 1900-01-01. */
const FIRST_DAY = Date.UTC(1900, 0, 1)

function dateOf(date: Date): string {
  const [day = '', time = ''] = date
    .toISOString()
    .replace(/(\.000)?Z$/, '')
    .split('T')
  if (date.getTime() < FIRST_DAY) return time
  return time === '00:00:00' ? day : `${day}T${time}`
}
