import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { LoadError, reasonOf } from '../load/error.ts'
import { adviceFor, type ReadOptions } from './bytes.ts'
import type { TableCell, TableRow } from './header.ts'
import { lengthOf, withoutLengths } from './lengths.ts'

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
  const { rows, plain } = await reading(file, async ({ streamXlsxRows }, bytes) => {
    onBytes?.(bytes)
    const numbers = withoutLengths(bytes)
    return { rows: streamXlsxRows(bytes, { sheet }), plain: numbers && streamXlsxRows(numbers, { sheet }) }
  })
  try {
    for await (const { index, values } of rows) {
      const { value } = (await plain?.next()) ?? {}
      const numbers = value?.values ?? []
      const cells = values.map((cell, i) => {
        const number = numbers[i]
        const length = cell instanceof Date && typeof number === 'number' ? lengthOf(number) : null
        return length ?? cellOf(cell)
      })
      yield { line: index + 1, cells }
    }
  } catch (cause) {
    throw noWorkbook(file, cause)
  } finally {
    await plain?.return()
  }
}

/** Loads the library only for a workbook, because it takes 17 MB of memory. */
const load = () => import('hucre/xlsx')

type Library = Awaited<ReturnType<typeof load>>

async function reading<T>(file: string, read: (library: Library, bytes: Buffer) => Promise<T>): Promise<T> {
  try {
    return await read(await load(), await readFile(file))
  } catch (cause) {
    throw noWorkbook(file, cause)
  }
}

/** Files in a zip file that show its kind. */
const KINDS = [
  ['.shp', 'a zipped Shapefile'],
  ['.gpkg', 'a zipped GeoPackage'],
  ['.kml', 'a KMZ file'],
  ['.gdbtable', 'a zipped geodatabase'],
] as const

/** Returns the error of a file that cannot be read as a workbook. The names in a zip file show what else it is. */
function noWorkbook(file: string, cause: unknown): LoadError {
  const names = existsSync(file) ? readFileSync(file) : Buffer.alloc(0)
  const kind = KINDS.find(([end]) => names.includes(end))
  const isSheet = names.includes('xl/workbook') || names.includes('opendocument.spreadsheet')
  if (kind !== undefined && !isSheet) {
    const source = kind[0] === '.kml' ? undefined : JSON.stringify(`/vsizip/${file}`)
    return new LoadError(`${file} is ${kind[1]}${adviceFor(file, source)}`, { cause })
  }
  const advice = isSheet ? 'save it as .xlsx or CSV' : 'unpack it, or save it as .xlsx or CSV'
  return new LoadError(`${file} is no Excel workbook: ${advice} (${reasonOf(cause)})`, { cause })
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
  if (Number.isNaN(date.getTime())) return '#####' // as Excel shows a number that is no date
  const [day = '', time = ''] = date
    .toISOString()
    .replace(/(\.000)?Z$/, '')
    .split('T')
  if (date.getTime() < FIRST_DAY) return time
  return time === '00:00:00' ? day : `${day}T${time}`
}
