import { recount } from '../load/recount.ts'
import { openStored } from '../local/stored.ts'
import { runCommand } from './command.ts'

const USAGE = `Usage: npm run recount [-- OPTION...]

Computes all counts of events again, and what the series show of their events. Run it after the database was changed by
SQL: until then lists, maps and summaries count wrong. The service may run meanwhile. A second run changes nothing.

  --persist-to DIR  of the local database there, as for npm start (default .wrangler/state)
  --remote          of the deployed database instead, see docs/operating.md
  --help            this text`

await runCommand(
  {
    name: 'recount',
    usage: USAGE,
    options: { 'persist-to': { type: 'string' }, remote: { type: 'boolean', default: false } },
  },
  async ({ 'persist-to': persistTo, remote }) => {
    const { db, close } = await openStored(persistTo, remote)
    try {
      await recount(db)
      console.log('Counted all events again.')
    } finally {
      await close()
    }
  },
)
