import { at } from '../../src/base/collections.ts'
import { LoadError } from '../load/error.ts'
import { copyExport } from '../postgres/copy.ts'
import { counted } from '../read/statistics.ts'
import { interruption, runCommand } from './command.ts'
import { NO_PROGRESS, showProgress } from './progress.ts'

const USAGE = `Usage: npm run copy -- FILE ADDRESS [OPTION...]

Copies FILE, which npm run export wrote, into a PostgreSQL database with PostGIS. ADDRESS is such as
postgres://user@localhost/events. The password may be in the variable PGPASSWORD, which does not show in the list of
processes. The command makes the tables of schema/postgres/tables.sql, and refuses tables that have rows. All rows are
one transaction. Then it makes the indexes of grade B, and the counts of grade C.

  --quiet  print nothing, except a failure
  --help   show this text`

await runCommand({ name: 'copy', usage: USAGE, files: 2 }, async ({ flag }, given) => {
  if (given.length < 2) throw new LoadError('ADDRESS is missing: enter one such as postgres://user@localhost/events')
  const progress = flag('quiet') ? NO_PROGRESS : showProgress()
  const started = performance.now()
  try {
    const options = { report: progress.report, signal: interruption() }
    const totals = await copyExport(at(given, 0), at(given, 1), options)
    progress.stop()
    if (totals === null) {
      console.error('Interrupted. Nothing was copied.')
      return 130
    }
    if (flag('quiet')) return 0
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    console.log(`Copied ${counted(totals.event, 'event')} and ${totals.event_series} event series in ${seconds} s.`)
    return 0
  } finally {
    progress.stop()
  }
})
