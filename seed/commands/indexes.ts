import { at } from '../../src/base/collections.ts'
import { LoadError, optionError } from '../load/error.ts'
import { connectTo, isAddress, refused, withoutPassword } from '../postgres/connection.ts'
import { countsScript, staleCounts } from '../postgres/counts.ts'
import { schemaOfViews } from '../postgres/definition.ts'
import { indexesScript } from '../postgres/indexes.ts'
import { runCommand } from './command.ts'

const USAGE = `Usage: npm run indexes -- ADDRESS [OPTION...]

Prints SQL of the indexes that the tables of the views of docs/postgres.md lack. ADDRESS names the owner of the tables,
such as postgres://owner@localhost/events. The password may be in the variable PGPASSWORD, which does not show
in the list of processes. The command changes nothing. This runs what it prints:

npm run indexes --silent -- ADDRESS | psql -v ON_ERROR_STOP=1 ADDRESS

  --grade GRADE  c: print also the counts and revisions of grade C (default b)
  --help         show this text`

await runCommand({ name: 'indexes', usage: USAGE, files: 1 }, async ({ text }, given) => {
  const [address, grade] = [at(given, 0), text('grade') ?? 'b']
  if (!isAddress(address))
    throw new LoadError(
      `ADDRESS is ${JSON.stringify(withoutPassword(address))}: enter one such as postgres://owner@localhost/events`,
    )
  if (grade !== 'b' && grade !== 'c') throw optionError('--grade', grade, 'enter b or c')
  const client = await connectTo(address)
  try {
    const schema = await schemaOfViews(client)
    // Both are written before one is printed: psql would run the first part of a text that ends with an error.
    const indexes = await indexesScript(client, schema)
    const counts = grade === 'b' ? await staleCounts(client, schema) : `\n${await countsScript(client, schema)}`
    console.log(`${indexes}${counts}`)
  } catch (cause) {
    throw cause instanceof LoadError ? cause : refused(cause)
  } finally {
    await client.end()
  }
})
