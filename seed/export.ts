import { interruption, runCommand } from './command.ts'
import { openDatabase } from './database.ts'
import { exportTo } from './write.ts'

const USAGE = `Usage: npm run export -- FILE [--persist-to DIR]

Writes all observation types, event series and events of the local database as newline-delimited JSON, gzip if the name
ends in .gz, which npm run load takes back to the same data. All is of one moment: when the data changes meanwhile, it
ends with an error. The file has its name once it is whole.

  --persist-to DIR  where the local database is, as for npm start (default .wrangler/state)
  --help            this text`

await runCommand(
  { name: 'export', usage: USAGE, files: 1, options: { 'persist-to': { type: 'string' } } },
  async (values, [file = '']) => {
    const { db, close } = await openDatabase(values['persist-to'])
    try {
      const { event, event_series } = await exportTo(db, file, interruption())
      console.log(`Wrote ${event} events and ${event_series} event series to ${file}.`)
    } finally {
      await close()
    }
  },
)
