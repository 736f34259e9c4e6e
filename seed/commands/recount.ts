import { printable } from '../load/error.ts'
import { recount } from '../load/indexes.ts'
import { openStored } from '../local/database.ts'
import { runCommand } from './command.ts'

const USAGE = `Usage: npm run recount [-- OPTION...]

Computes all counts of events again, the periods and bounds of the series, and the numbers of values. Run it after you
change the database by SQL, or restore it. Until then, lists, maps and summaries show wrong counts. The service may run during the
command. A second run changes no count. Each copy that follows the changes reads everything again. The types of columns become those of the stored values, and the command tells which ones it changes.

  --persist-to DIR  count in the local database in DIR, as for npm start (default .wrangler/state)
  --remote          count in the deployed database, see docs/operating.md
  --help            show this text`

await runCommand({ name: 'recount', usage: USAGE }, async ({ text, flag, refuseSeveral }) => {
  refuseSeveral('database', 'persist-to', 'remote')
  const { db, close } = await openStored(text('persist-to'), flag('remote'))
  try {
    console.log([...(await recount(db)), 'Counted all events.'].map(printable).join('\n'))
  } finally {
    await close()
  }
})
