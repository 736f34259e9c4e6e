import { interruption } from '../../seed/commands/command.ts'
import { loadFiles } from '../../seed/load/files.ts'
import { openDatabase } from '../../seed/local/database.ts'

/** Runs a load that kills itself at the report with the number `at`. There is a report for each chunk of a file. */
const [state = '', at = '', signal = 'SIGKILL', ...files] = process.argv.slice(2)
const series = files.some((file) => file.endsWith('.ndjson')) ? {} : { series: 'Loaded' }

const { db, close } = await openDatabase(state, true)
let reports = 0
const options = { ...series, batchRecords: 500, bulkEvents: 2_000, signal: interruption() }
const { finished } = await loadFiles(db, files, options, () => {
  reports += 1
  if (String(reports) === at) process.kill(process.pid, signal)
})
await close()
console.log(JSON.stringify({ reports, finished }))
