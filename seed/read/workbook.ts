import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { crc32, inflateRawSync } from 'node:zlib'
import { LoadError, reasonOf } from '../load/error.ts'
import { adviceFor, type ReadOptions } from './bytes.ts'
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
  const text = date.toISOString().replace(/(\.000)?Z$/, '')
  const [day = '', time = ''] = text.split('T')
  if (date.getTime() < FIRST_DAY) return time
  return time === '00:00:00' ? day : `${day}T${time}`
}

/** Places in the structures of a zip file (APPNOTE 4.3): the end, an entry of the directory, and the header of a file. */
const END = { start: Buffer.from('PK\x05\x06', 'latin1'), count: 10, directory: 16 }
const ENTRY = { flags: 8, method: 10, crc: 16, size: 20, whole: 24, lengths: [28, 30, 32], header: 42, name: 46 }
const HEADER = { flags: 6, method: 8, crc: 14, size: 18, whole: 22, lengths: [26, 28], name: 30 }
const DEFLATED = 8
const MOST = 64 * 1024 * 1024 // bytes of styles

/** The numbers of the usual formats of times: h:mm AM/PM to h:mm:ss, mm:ss, [h]:mm:ss and mm:ss.0. */
const USUAL = /numFmtId="(18|19|20|21|45|46|47)"/g
/** A time of a day with a format without its day is a date from so many days on, in 1927. Fewer are a length of time. */
const MOST_DAYS = 10_000

/** A format of hours or seconds without a day, such as [h]:mm. Texts in quotes, languages and escapes are no part of it. */
const isTime = (format: string): boolean => {
  const parts = format.replaceAll('&quot;', '"').replace(/"[^"]*"|\\.|\[\$[^\]]*\]/g, '')
  return /[hs]|\[m+\]/i.test(parts) && !/[yd]/i.test(parts)
}

/**
 * Returns a copy of a workbook in which times without a day are plain numbers. The library makes dates of them and does not tell their
 * format. Null: the workbook has no such format, or is larger than 4 GB.
 */
function withoutLengths(bytes: Buffer): Buffer | null {
  const end = bytes.lastIndexOf(END.start)
  const directory = end < 0 ? 0 : bytes.readUInt32LE(end + END.directory)
  const sum = (at: number, places: readonly number[]) =>
    places.reduce((all, place) => all + bytes.readUInt16LE(at + place), 0)
  let at = directory
  for (let left = end < 0 ? 0 : bytes.readUInt16LE(end + END.count); left > 0; left--) {
    const name = bytes.subarray(at + ENTRY.name, at + ENTRY.name + bytes.readUInt16LE(at + 28))
    if (/^xl\/styles\.xml$/i.test(name.toString())) break
    at += ENTRY.name + sum(at, ENTRY.lengths)
    if (left === 1) return null
  }
  if (at === 0 || bytes.readUInt32LE(at + ENTRY.header) === 0xffffffff) return null
  const from = bytes.readUInt32LE(at + ENTRY.header)
  const start = from + HEADER.name + sum(from, HEADER.lengths)
  const packed = bytes.subarray(start, start + bytes.readUInt32LE(at + ENTRY.size))
  const isPacked = bytes.readUInt16LE(at + ENTRY.method) === DEFLATED
  const before = (isPacked ? inflateRawSync(packed, { maxOutputLength: MOST }) : packed).toString()
  const after = before
    .replace(/(<(?:\w+:)?numFmt\b[^>]*formatCode=")([^"]*)"/g, (all, head, format) =>
      isTime(format) ? `${head}0"` : all,
    )
    .replace(USUAL, 'numFmtId="1"')
  if (after === before) return null
  const styles = Buffer.from(after)
  const header = Buffer.from(bytes.subarray(from, from + HEADER.name + bytes.readUInt16LE(from + 26)))
  header.writeUInt16LE(0, 28)
  const rest = Buffer.from(bytes.subarray(directory))
  for (const [part, place, { flags, method, crc, size, whole }] of [
    [header, 0, HEADER],
    [rest, at - directory, ENTRY],
  ] as const) {
    part.writeUInt16LE(part.readUInt16LE(place + flags) & ~8, place + flags)
    part.writeUInt16LE(0, place + method)
    part.writeUInt32LE(crc32(styles), place + crc)
    for (const each of [size, whole]) part.writeUInt32LE(styles.length, place + each)
  }
  rest.writeUInt32LE(directory, at - directory + ENTRY.header)
  rest.writeUInt32LE(directory + header.length + styles.length, end - directory + END.directory)
  return Buffer.concat([bytes.subarray(0, directory), header, styles, rest])
}

/** Writes a number of days as a length of time, such as 30:00:00. Null: it is the time of a date. */
function lengthOf(days: number): string | null {
  if (days >= MOST_DAYS) return null
  const time = Math.round(Math.abs(days) * 86_400_000)
  const part = (size: number, most: number) => String(Math.floor(time / size) % most).padStart(2, '0')
  const rest = time % 1000 === 0 ? '' : `.${String(time % 1000).padStart(3, '0')}`
  const sign = days < 0 ? '-' : ''
  return `${sign}${part(3_600_000, Number.POSITIVE_INFINITY)}:${part(60_000, 60)}:${part(1000, 60)}${rest}`
}
