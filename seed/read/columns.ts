import { at } from '../../src/base/collections.ts'
import { orUndefined, ValueError } from '../../src/base/errors.ts'
import { parseJson } from '../../src/base/json.ts'
import { NUMBER_FORM, pointText, restored } from '../../src/formats/csv.ts'
import { attributeNamed } from '../../src/formats/shown.ts'
import { nearest } from '../../src/http/suggestion.ts'
import { titledColumn } from '../../src/model/metadata.ts'
import { LoadError, oneLine } from '../load/error.ts'
import { attributeIn, attributeNamer, isAttribute, withAttributes } from './attributes.ts'
import { type NumberForm, numberForm, numberIn, plainNumberIn, recogniseDecimalMark } from './decimal.ts'
import type { EventOptions, Item } from './event.ts'
import { COLUMN_OPTIONS, isOwn, SHOWN, USUAL, usualOf } from './fields.ts'
import { isComment, isEmpty, type TableCell, type TableRow } from './header.ts'
import type { SourceTable } from './items.ts'
import { dateAndTime, joinedOf, namesIn } from './joined.ts'
import { withoutMarks } from './missing.ts'
import { checkNeeds, type Places } from './needs.ts'
import type { Table } from './table.ts'
import { zonedIn } from './zoned.ts'

/** Fields that an option may give as a number, such as `--x 5.18`. */
const CONSTANT = ['x', 'y', 'z']
const TIMES = ['start', 'end']
const NONE: ReadonlySet<string> = new Set()

/** Returns a function that reads the rows of a table. Null: the row is a comment. Throws LoadError if an option is missing or wrong. */
export async function rowItems(given: SourceTable): Promise<(row: TableRow) => Item | null> {
  const { options, statistics } = given
  const { marks = NONE } = options
  const sample = given.table.sample.map(({ line, cells }) => ({ line, cells: withoutMarks(marks, cells) }))
  const source = { ...given, table: { ...given.table, sample, header: untitled(given) } }
  const { table } = source
  const { header } = table
  const places = placesOf(source, given.table)
  const constants = new Map(CONSTANT.flatMap((field) => constantIn(options, places, field)))
  await checkNeeds(source, places, constants)
  const form = numbersOf(source, places)
  const read = cellReader(table, form)
  const attributesIn = attributeReader(source, places, form, given.table)
  const namesOf = (field: string) => (places.get(field) ?? []).map((place) => at(header, place))
  const nameOf = (field: string): string => namesOf(field).join('+') || (options.names[field] ?? field)
  const shared = { nameOf, isOwn: isOwn(header) }
  // The service writes exact texts, and a text of blanks is one of them.
  const isBlank = isDownload(header) ? (cell: TableCell) => cell === '' : isEmpty
  // GDAL copies a list of events with the object in one column.
  const objectPlace = shared.isOwn ? header.indexOf('object') : -1
  const valuePlace = places.get('value')?.[0] ?? -1
  for (const [field, option] of Object.entries(COLUMN_OPTIONS))
    if (places.has(field)) statistics.found.set(option, nameOf(field))
  const isLeftOut = commentTest(source, places)
  return (row) => {
    if (isLeftOut(row.cells)) return null
    const cells = withoutMarks(marks, row.cells)
    if (cells.length !== header.length)
      throw new ValueError(`${cells.length} cells, but the header has ${header.length}: write the same number`)
    const fieldIn = (field: string): unknown => {
      const own = places.get(field)
      if (own === undefined) return constants.get(field)
      if (own.length > 1)
        return joinedOf(
          own.map((place) => cells[place]),
          namesOf(field),
        )
      const cell = cells[own[0] ?? -1]
      return cell === undefined || isBlank(cell) ? null : read(field, cell)
    }
    const valueIn = (field: string): unknown =>
      field === 'attributes' && attributesIn !== null
        ? withAttributes(fieldIn(field), attributesIn(cells))
        : fieldIn(field)
    const object = objectPlace < 0 ? {} : { object: { reference: cells[objectPlace] || null } }
    return { ...shared, valueIn, isNumber: () => isNumber(cells[valuePlace] ?? '', form), ...object }
  }
}

/** Returns a function that tests if cells are a comment, and notes it. */
function commentTest({ options: { comment }, statistics, table: { header } }: SourceTable, places: Places) {
  const mark = comment ?? '#'
  // A column of times, of numbers or of ids has no text with #.
  const isTyped = [...TIMES, ...CONSTANT, 'id', 'place'].some((field) => places.get(field)?.includes(0))
  return (cells: TableRow['cells']): boolean => {
    const isMarked = String(cells[0]).startsWith(mark)
    const isLeftOut = isMarked && (comment !== undefined || isTyped || isComment(cells, header.length))
    if (isLeftOut) statistics.note(`Lines that begin with ${mark} and are left out`)
    return isLeftOut
  }
}

/**
 * Returns the header with the names of columns of the series in place of their titles. A header that an option names stays,
 * and one that becomes the same attribute in any case.
 */
function untitled({ table: { header }, options, statistics }: SourceTable): readonly string[] {
  const { described = [], names, attributes } = options
  const chosen = new Set([
    ...Object.values(names).flatMap((name) => namesIn(name ?? '')),
    ...(attributes === '*' ? [] : (attributes ?? [])),
  ])
  const usual = attributeNamer(new Map())(header)
  return header.map((given, i) => {
    const title = chosen.has(given) ? given : (zonedIn(given, { names, described })?.name ?? given)
    const column = chosen.has(title) ? undefined : titledColumn(described, title)
    if (column === undefined || usual[i] === column) return title
    const isField = described.some(({ name }) => name === column)
    const name = isField ? column : `attributes__${column}`
    if (header.includes(name)) return title
    if (!isField) statistics.renamed.set(title, column)
    statistics.guesses.add(`${oneLine(title)} is the title of ${column}, so its cells are read as ${column}`)
    return name
  })
}

/** Finds the columns of all fields. */
function placesOf({ file, table, options, statistics }: SourceTable, written: Table): Places {
  const { header, sample } = table
  const lower = header.map((name) => name.toLowerCase())
  const usualPlace = (field: string) =>
    usualOf(field)
      .map((usual) => lower.indexOf(usual))
      .find((place) => place >= 0)
  const ofField = (field: string): readonly number[] => {
    const name = options.names[field]
    if (name === undefined) return [usualPlace(field) ?? []].flat()
    if (header.includes(name)) return [header.indexOf(name)]
    if (CONSTANT.includes(field) && NUMBER_FORM.test(name)) return []
    const names = TIMES.includes(field) ? namesIn(name) : [name]
    return names.map((each) => placeNamed(file, table, each, written))
  }
  const places = new Map([...USUAL.keys()].map((field) => [field, ofField(field)] as const))
  const isApart = CONSTANT.some((field) => places.get(field)?.length || options.names[field] !== undefined)
  if (options.placeless || (isApart && options.names.place === undefined)) places.delete('place')
  if (options.placeless) for (const field of CONSTANT) places.delete(field)
  if (options.names.start === undefined) {
    const usual = header[places.get('start')?.[0] ?? -1]
    const pair = dateAndTime(header, usual, (place) => sample.map(({ cells }) => cells[place]), options.times)
    if (pair !== null) {
      places.set('start', pair)
      statistics.guesses.add(
        `The start is ${pair.map((place) => oneLine(at(header, place))).join('+')}. --start names other columns`,
      )
    }
  }
  return new Map([...places].filter(([, own]) => own.length > 0))
}

/** Returns the place of a column that an option names. A message names the columns as they are `written` in the file. */
function placeNamed(file: string, table: Table, name: string, written: Table): number {
  const place = table.header.indexOf(name.replace(/^#\s*(?=\S)/, ''))
  if (place >= 0) return place
  const { header, headerLine } = written
  const near = nearest(name, header)
  const columns = `the columns of line ${headerLine} are ${header.map(oneLine).join(', ')}. --skip-lines names another line`
  const meant = near === null ? columns : `did you mean ${oneLine(near)}?`
  throw new LoadError(`${file}: no column ${JSON.stringify(name)}: ${meant}${guessesOf(table)}`)
}

/** Returns what was guessed of a table, for the end of a message. */
const guessesOf = ({ guesses }: Table): string => guesses.map((guess) => `. ${guess}`).join('')

/** Returns a field with the number that an option gives it. */
function constantIn({ names, placeless }: EventOptions, places: Places, field: string): [string, number][] {
  const number = names[field]
  return number === undefined || places.has(field) || placeless ? [] : [[field, Number(number)]]
}

/** Tests if the names show that a list wrote the file, in any version. */
const isDownload = (header: readonly string[]): boolean =>
  ['category', 'value', 'last_modified', 'url'].every((name) => header.includes(name))

/** Tests if a table is a spreadsheet with decimal commas that the service wrote. Its texts of numbers have commas, too. */
const isOwnSheet = ({ header, form }: Table): boolean =>
  isDownload(header) && 'delimiter' in form && form.delimiter === ';'

function numbersOf({ table, options }: SourceTable, places: Places): NumberForm {
  const coordinates = CONSTANT.flatMap((field) => places.get(field) ?? [])
  const { form, sample } = table
  return numberForm(options, () =>
    'sheet' in form ? '.' : recogniseDecimalMark(sample, form.delimiter, coordinates, isOwnSheet(table) ? ',' : '.'),
  )
}

/** Returns a function that reads a cell for a field. Numbers and booleans of a workbook stay. */
function cellReader(table: Table, form: NumberForm) {
  const textOf = isOwnSheet(table) && form.decimal === ',' ? pointText : restored
  // The service writes exact values, so they stay unchanged.
  const isExact = isDownload(table.header)
  const points: NumberForm = { decimal: '.', grouped: null }
  return (field: string, cell: TableCell): unknown => {
    if (typeof cell !== 'string') return cell
    if (['id', 'series', 'object_id'].includes(field)) return numberOr(cell, points)
    if (CONSTANT.includes(field)) return numberOr(cell, form)
    if (TIMES.includes(field)) return numberIn(cell, form) ?? cell
    if (field === 'value') return (isExact ? null : plainNumberIn(cell, form)) ?? textOf(cell)
    return field === 'model' ? cell : textOf(cell)
  }
}

/** Reads the number in a cell. Returns the cell if it is none. */
const numberOr = (cell: string, form: NumberForm): string | number => {
  const number = numberIn(cell, form)
  return number === null ? cell : Number(number)
}

const isNumber = (cell: TableCell, form: NumberForm): boolean =>
  typeof cell === 'number' || (typeof cell === 'string' && plainNumberIn(cell, form) !== null)

/** Returns the object or array that a cell of a download has as JSON. Null: it has none. */
const objectIn = (cell: TableCell): object | null => {
  if (typeof cell !== 'string' || !/^[[{]/.test(cell)) return null
  return orUndefined(() => parseJson(restored(cell)) as object) ?? null // the first character says so
}

/** Returns a function that reads the attributes in a row. An empty cell is none. Null: no option names attributes. */
function attributeReader(
  { file, table, options, statistics }: SourceTable,
  places: Places,
  form: NumberForm,
  written: Table,
) {
  const { attributes } = options
  const { header } = table
  const known = new Set([...places.values()].flat())
  for (const name of attributes === '*' ? [] : (attributes ?? [])) placeNamed(file, table, name, written)
  const own: number[] = []
  for (const [place, name] of header.entries()) {
    const isField = known.has(place) || SHOWN.includes(name) || (isOwn(header) && name === 'object')
    if (header.indexOf(name) < place && name !== '') statistics.repeated.add(name)
    else if (isAttribute(attributes, name, isField)) own.push(place)
    else if (!isField) statistics.unread.add(name)
  }
  const names = attributeNamer(statistics.renamed)(own.map((place) => at(header, place)))
  // A workbook has numbers of its own. Its texts are numbers only if an option says how.
  const isTyped = 'sheet' in table.form && options.decimal === undefined && options.thousands === undefined
  const read = (cell: TableCell): unknown => (isTyped || typeof cell !== 'string' ? cell : attributeIn(cell, form))
  if (attributes === undefined && own.length === 0) return null
  return (cells: readonly TableCell[]) =>
    own.flatMap((place, i): [string, unknown][] => {
      const cell = cells[place]
      if (cell === undefined || isEmpty(cell)) return []
      const isDownloaded = attributeNamed(at(header, place)) !== null
      return [[at(names, i), (isDownloaded ? objectIn(cell) : null) ?? read(cell)]]
    })
}
