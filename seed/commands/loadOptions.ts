import { LoadError, optionError } from '../load/error.ts'
import type { LoadOptions } from '../load/files.ts'
import { attributeNamesOf } from '../read/attributes.ts'
import { COLUMN_OPTIONS } from '../read/fields.ts'
import { marksIn } from '../read/missing.ts'
import type { Options } from './command.ts'

export const USAGE = `Usage: npm run load -- FILE... [OPTION...]

Adds the observation types, event series and events of files to the local database. A file is newline-delimited JSON as
docs/loading.md describes it, GeoJSON (a FeatureCollection, one feature on each line, or a text sequence), CSV or an
Excel workbook. Each may be compressed with gzip, but not a workbook.
The command checks all files before it loads. If a file has a fault, it loads nothing. It does not load stored records
again. If a load is interrupted, run the same command again to continue.
With --sync, the command also deletes the stored events that left the source.
The exit code is 0 if all records are stored, 2 if some were left out or a column became one of texts, 1 after a failure
and 130 after an interruption.

  --persist-to DIR         load into the local database in DIR, as for npm start (default .wrangler/state)
  --remote                 load into the deployed database, see docs/operating.md
  --to URL --key KEY       load into a service, through its API. Events get new ids. A second run within a day adds
                           nothing. Without --key, the key is in the variable EVENTS_KEY, which does not show in the
                           list of processes
  --key-column COLUMN      the column of external ids: a row changes the event with its id, or adds one. Stored events
                           keep the fields that the file lacks. The last row with an id counts. Without --to, --key
                           COLUMN is the same
  --sync                   with --key-column: the files have all events of their series. Stored events that they do not
                           have are deleted at the end, also those without an external id
  --allow-deletions NUMBER the most events that --sync may delete. By default it refuses to delete more than a tenth of
                           the events of a series, or all because a file has no rows
  --dry-run                check everything, store nothing, and show what a load would store
  --skip-invalid           leave out faulty records, and load the rest
  --rejects FILE           as --skip-invalid, and write the faulty records to FILE with the reasons, in their own form.
                           Correct FILE, and load it by the same command, with another name after --rejects and
                           without --sync
  --allow-types            a column of numbers may become one of texts, and the exit code is then 0
  --format FORMAT          ndjson, objects, json, geojson, geojsonl, geojsonseq, csv or xlsx; by default it is recognised
  --mapping FILE           a TOML file with options for these files, such as crs = 28992. Options of the command win
  --write-mapping FILE     with --dry-run: write the options and the columns that were found to FILE
  --quiet                  print only faults
  --drop-duplicates        load only the first of several events that differ only in their ids

These options are for GeoJSON, CSV, workbooks and plain objects (one on each line, or in a list), if all events belong to one series:

  --series NAME            the uuid or name of the series; a new name makes a new series
  --access MODIFIER        the access level of a new series: Public (the default), Common, Private or Hidden
  --observation-type CODE  the type of a new series: the code or id of a stored type, or a new code (default event)
  --title, --unit NAMES    titles and units of columns, such as --title value=Volume --unit 'value=m³,Duur=min'. Without
                           them the titles are the headers of the file, and units their ends, as in "Volume (m³)"
  --source TEXT, --license TEXT
                           who publishes the data, and its licence, such as CC-BY-4.0
  --new-ids                give all events new ids; by default only events without an id get one
  --x, --y, --z, --start, --end, --category, --value, --id, --object-type, --object-id NAME
                           the name of a column or property, if it is not a usual name. --start DATE+TIME joins two
                           columns. --x 5.18 --y 52.1 gives all events one place
  --place NAME             the column with WKT, or with latitude and longitude. --place none loads events without a place
  --attributes NAMES       the columns or properties that become attributes, with commas between them, or '*' for all
                           that are no fields. "Volume (m³)" becomes Volume_m3, so that filters take it
  --time-unit UNIT         the unit of times that are numbers: s, ms, us or ns since 1970, or days-1900 as in spreadsheets
  --date-format FORMAT     the form of dates, if not ISO 8601, with YYYY, MM, DD, HH, mm, ss and Z, such as
                           "DD-MM-YYYY HH:mm". MMM is JAN, YY needs --century, and hh needs A (AM or PM). Letters in brackets
                           stand for themselves, such as YYYY[MM]MM
  --century YEAR           the first year that YY can mean, such as 1950 for 1950 to 2049
  --timezone NAME          the zone of times without a zone, such as Europe/Amsterdam (default UTC)
  --crs CODE               the system of coordinates, if not degrees: 28992, 3857, or UTM, such as 32631. A GeoJSON file
                           may name it
  --decimal MARK           the decimal mark of all numbers in CSV, "," or "."; by default that of the coordinates, or "."
                           if "," separates
  --thousands MARK         the mark between groups of three digits in CSV: ".", ",", "'" or " ". 1.234,5 needs "."
  --null MARKS             texts that stand for missing values in all columns, with commas between them: NA,NaN,-
  --comment MARK           the start of lines in a table that are no rows, such as "#"; by default only sure comments are
                           left out
  --encoding NAME          the encoding of files, if not UTF-8, such as windows-1252, iso-8859-15 or utf-16le
  --delimiter MARK         the character between the cells of CSV, or tab; by default the one that fits the rows
  --quote MARK             none: a quote in CSV is an ordinary character
  --skip-lines NUMBER      the number of lines before the header of CSV or a sheet; by default it is recognised
  --sheet NAME             the sheet of a workbook (default the first one)

  --help                   show this text`

/** Returns the settings of a load that its options name. */
export function loadOptionsOf(options: Options): LoadOptions {
  const { text, flag } = options
  const attributes = text('attributes')
  return {
    format: text('format'),
    rejects: text('rejects'),
    encoding: text('encoding'),
    series: text('series'),
    access: text('access'),
    observationType: text('observation-type'),
    title: text('title'),
    unit: text('unit'),
    source: text('source'),
    license: text('license'),
    key: keyColumnOf(options),
    crs: text('crs'),
    decimal: text('decimal'),
    thousands: text('thousands'),
    marks: marksIn(text('null')),
    comment: text('comment'),
    attributes: attributes === undefined ? undefined : attributeNamesOf(attributes),
    names: Object.fromEntries(Object.entries(COLUMN_OPTIONS).map(([field, option]) => [field, text(option)])),
    layout: {
      delimiter: text('delimiter'),
      quote: text('quote'),
      skipLines: text('skip-lines'),
      sheet: text('sheet'),
    },
    times: {
      unit: text('time-unit'),
      format: text('date-format'),
      century: text('century'),
      zone: text('timezone'),
    },
    newIds: flag('new-ids') || undefined,
    dropDuplicates: flag('drop-duplicates'),
    sync: flag('sync'),
    allowDeletions: allowedIn(options),
    dryRun: flag('dry-run'),
    skipInvalid: flag('skip-invalid'),
    allowTypes: flag('allow-types'),
  }
}

/** Returns the number of `--allow-deletions`. */
function allowedIn({ text, flag }: Options): number | undefined {
  const given = text('allow-deletions')
  if (given === undefined) return undefined
  if (!flag('sync')) throw new LoadError('--allow-deletions is for --sync: add --sync, or leave it out')
  if (/^\d{1,15}$/.test(given)) return Number(given)
  throw optionError('--allow-deletions', given, 'enter the most events that may be deleted, such as 400')
}

/** Returns the column of external ids. Without `--to`, `--key` also names it. */
function keyColumnOf({ text }: Options): string | undefined {
  const [key, column] = [text('key'), text('key-column')]
  if (text('to') !== undefined || key === undefined) return column
  if (column !== undefined) throw new LoadError('--key and --key-column both name a column here: use one of them')
  return key
}
