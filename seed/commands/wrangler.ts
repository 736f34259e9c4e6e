import { checkDeployable, configFor, readDeployment } from '../local/deployment.ts'
import { ROOT, runWrangler } from '../local/wrangler.ts'
import { runMain } from './command.ts'

const USAGE = `Usage: npm run wrangler -- COMMAND...   or: npm run deploy [-- OPTION...]

Runs wrangler for the deployed service, which wrangler.toml and deploy.toml describe. deploy.toml has only the values
that differ. Git ignores it, see docs/operating.md. The command merges both into wrangler.deploy.json for wrangler.`

await runMain('wrangler', async (args) => {
  if (args.length === 0 || (args.length === 1 && args[0] === '--help')) return console.log(USAGE)
  const deployment = await readDeployment()
  checkDeployable(deployment, args)
  return runWrangler([...args, '--config', configFor(deployment, args)], { cwd: ROOT })
})
