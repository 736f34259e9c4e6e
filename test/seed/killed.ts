import { interruption } from '../../seed/commands/command.ts'
import { loadFiles } from '../../seed/load/files.ts'
import type { Write } from '../../seed/load/rows.ts'
import { openDatabase } from '../../seed/local/database.ts'

/**
 * Runs a load that kills itself at the moment with the number `at`. There is one at each report, of a chunk of a file. With
 * --sync, there is also one before and one after each batch.
 */
const [state = '', at = '', signal = 'SIGKILL', ...given] = process.argv.slice(2)
const files = given.filter((file) => file !== '--sync')
const isSync = files.length < given.length
const series = files.some((file) => file.endsWith('.ndjson')) ? {} : { series: 'Loaded' }
const sync = isSync ? { key: 'id', sync: true, allowDeletions: 10_000, batchRecords: 100 } : {}

const { db, write: store, close } = await openDatabase(state, true)
let reports = 0
const report = () => {
  reports += 1
  if (String(reports) === at) process.kill(process.pid, signal)
}
const write: Write = async (statements) => {
  report()
  await store(statements)
  report()
}
const options = { ...series, batchRecords: 500, bulkEvents: 2_000, signal: interruption(), ...sync }
const { finished } = await loadFiles(db, files, { ...options, ...(isSync && { write }) }, report)
await close()
console.log(JSON.stringify({ reports, finished }))
