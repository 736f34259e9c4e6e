import { builtNode, builtWorker } from '../serve/build.ts'
import { runCommand } from './command.ts'

const USAGE = `Usage: npm run build [-- OPTION...]

Builds what npm run serve serves, in dist/: the Worker as it is deployed, the same for Node, and the files of the page.
npm run serve does so itself if the code is newer, but then its user must be able to write there.

  --help            show this text`

await runCommand({ name: 'build', usage: USAGE }, async () => {
  builtWorker()
  await builtNode()
  console.log('Built the service in dist/.')
})
