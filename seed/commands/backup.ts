import { restoreBackup, writeBackup } from '../local/backup.ts'
import { runCommand } from './command.ts'

const USAGE = `Usage: npm run backup -- FILE [OPTION...]

Copies the local database into FILE, also while a service writes to it, and checks the copy. FILE is as it was at one moment.
Keys are not in it. npm run export makes a file that other versions can load.

  --persist-to DIR  the folder of the database, as for npm run serve (default .wrangler/state)
  --restore         put FILE in the place of the database in DIR. End the service first
  --help            show this text`

await runCommand({ name: 'backup', usage: USAGE, files: 1 }, async ({ flag, text }, [file = '']) => {
  const folder = text('persist-to')
  if (flag('restore')) await restoreBackup(file, folder)
  else await writeBackup(folder, file)
  console.log(flag('restore') ? `Restored ${file}.` : `Wrote ${file}.`)
})
