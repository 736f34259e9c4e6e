import { basename } from 'node:path'
import { at } from '../../src/base/collections.ts'
import { orUndefined } from '../../src/base/errors.ts'
import { NeedError, oneLine } from '../load/error.ts'
import { dayIn } from './dates.ts'
import type { EventOptions } from './event.ts'
import { formatsFor, readingsOf } from './formats.ts'
import { isEmpty } from './header.ts'
import type { SourceTable } from './items.ts'
import { asArgument } from './missing.ts'
import { rowsOf, type Table } from './table.ts'
import { timeReader, ZONE_ADVICE } from './time.ts'

/** The places of the columns of each field. A time may have several. */
export type Places = ReadonlyMap<string, readonly number[]>

/** Headers that are no usual names, because only the rows show if they are right. */
const COORDINATES: Readonly<Record<string, RegExp>> = {
  x: /^(x([^a-z]|co)|rd[-_ ]?x|lon|lengte|oost|east)/i,
  y: /^(y([^a-z]|co)|rd[-_ ]?y|lat|breedte|noord|north)/i,
}

/** Throws NeedError with all that the options must say before the rows of a table can be read, and with guesses. */
export async function checkNeeds(source: SourceTable, given: Places, constants: ReadonlyMap<string, number>) {
  const { file, table, options, wrongBytes } = source
  const missing = missingOf(options, (field) => given.has(field) || constants.has(field))
  const guessed = missing.map((field) => [field, guessOf(field, table)] as const)
  const places = new Map([...given, ...guessed.filter(([, own]) => own.length > 0)])
  const needs = [
    ...seriesNeeds(file, options, given),
    ...(missing.length > 0 ? [columnsNeed(table, guessed)] : []),
    ...(await dateNeeds(source, places)),
    ...crsNeeds(source, places),
    ...idNeeds(source, given),
  ].map(([sentence, ...more]) => new NeedError(`${file}: ${sentence}`, more))
  const all = [...(wrongBytes === null ? [] : [wrongBytes]), ...needs]
  if (all.length === 0) return
  const messages = all.map(({ message }) => message)
  const needed = all.flatMap(({ options }) => options)
  throw new NeedError(messages.join('\n'), needed)
}

/** The sentence of a need, and the options that meet it. */
type Need = readonly [sentence: string, ...options: string[]]

const seriesNeeds = (file: string, { series }: EventOptions, given: Places): Need[] =>
  series !== null || given.has('series')
    ? []
    : [['no column has the series of the events: use --series NAME', '--series', basename(file).replace(/\..*/, '')]]

/** Returns the fields without a column. Rows that change stored events need none for a place, or both. */
function missingOf({ partial = false, placeless = false }: EventOptions, has: (field: string) => boolean): string[] {
  const needsPlace = !placeless && !has('place') && (!partial || has('x') || has('y'))
  return [...(partial ? [] : ['start']), ...(needsPlace ? ['x', 'y'] : [])].filter((field) => !has(field))
}

const textsIn = ({ sample }: Table, place = -1): string[] =>
  sample.flatMap(({ cells }) => (isEmpty(cells[place]) ? [] : String(cells[place]).trim()))

const isUsualTime = (text: string): boolean => readingsOf(text).length > 0

/** Guesses the column of coordinates by its header, and that of the start by the times in it. */
function guessOf(field: string, table: Table): number[] {
  const isTime = (text: string) => dayIn(text.slice(0, 10)) !== null || isUsualTime(text)
  const place = table.header.findIndex((name, i) => {
    const texts = textsIn(table, i)
    return COORDINATES[field]?.test(name) ?? 2 * texts.filter(isTime).length > texts.length
  })
  return place < 0 ? [] : [place]
}

function columnsNeed({ header, guesses }: Table, guessed: readonly (readonly [string, number[]])[]): Need {
  const fields = guessed.map(([field]) => field)
  const names = fields.map((field) => `--${field} COLUMN`).join(' ')
  const sentences = [
    `no column for ${fields.join(', ')} among ${header.map(oneLine).join(', ')}: name ${fields.length > 1 ? 'them' : 'it'} with ${names}`,
    ...(fields.includes('start') ? ['For two columns use --start DATE+TIME'] : []),
    ...(fields.includes('x') ? ['For one place use --x 5.18 --y 52.1, and without places --place none'] : []),
    ...guesses,
  ]
  return [
    sentences.join('. '),
    ...guessed.flatMap(([field, [place]]) => [`--${field}`, header[place ?? -1] ?? 'COLUMN']),
  ]
}

/** Finds the form of the dates that reads most rows of a file, if none of the first rows is ISO 8601. */
async function dateNeeds(source: SourceTable, places: Places): Promise<Need[]> {
  const { table, options } = source
  const { times = {} } = options
  const [place, ...others] = places.get('start') ?? []
  if (place === undefined || times.format !== undefined || times.unit !== undefined) return []
  const read = others.length > 0 ? dayIn : timeReader(times)
  const isOdd = (text: string) => (/\D/.test(text) || dayIn(text) !== null) && !orUndefined(() => read(text))
  const texts = textsIn(table, place)
  const first = texts.every(isOdd) ? texts.find(isUsualTime) : undefined
  if (first === undefined) return []
  const counts = new Map<string, number>()
  for await (const { cells } of rowsOf(source, table))
    for (const { format } of readingsOf(String(cells[place]).trim())) counts.set(format, (counts.get(format) ?? 0) + 1)
  const most = Math.max(...counts.values())
  const [format = '', other] = [...counts.keys()].filter((each) => counts.get(each) === most)
  const zone = times.zone === undefined ? `. Times without a zone are UTC. ${ZONE_ADVICE}` : ''
  const dates = `dates such as ${oneLine(first)} are not ISO 8601: use --date-format`
  return other === undefined
    ? [[`${dates} ${asArgument(format)}, which reads ${most} of them${zone}`, '--date-format', format]]
    : [[`${dates}: ${formatsFor(first)}${zone}`, '--date-format', 'FORMAT']]
}

/** Recognises coordinates of the Netherlands in metres. */
function crsNeeds({ table, options }: SourceTable, places: Places): Need[] {
  const [x = '', y = ''] = ['x', 'y'].map((field) => textsIn(table, places.get(field)?.[0])[0])
  const [east, north] = [x, y].map((text) => Number(text.replace(',', '.'))) as [number, number]
  const isDutch = east > 360 && east < 300_000 && north > 300_000 && north < 625_000
  if (options.crs !== undefined || !isDutch) return []
  return [[`coordinates such as ${x} ${y} are metres: use --crs 28992 for the Dutch system RD`, '--crs', '28992']]
}

/** Finds out that a column with the usual name has the ids of the source. The ids of the service are whole numbers. */
function idNeeds({ table, options }: SourceTable, given: Places): Need[] {
  const [place] = options.newIds || given.has('external_id') ? [] : (given.get('id') ?? [])
  const texts = textsIn(table, place)
  if (place === undefined || texts.length === 0 || texts.some((text) => Number.isInteger(Number(text)))) return []
  const [first, name] = [at(texts, 0), at(table.header, place)]
  const sentence = `ids such as ${oneLine(first)} are those of the source: use --key-column ${asArgument(name)}`
  return [[sentence, '--key-column', name]]
}
