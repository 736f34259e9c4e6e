import { spawn } from 'node:child_process'
import { LoadError } from '../load/error.ts'
import { checkDeployable, readDeployment } from '../local/deployment.ts'
import { ROOT, WRANGLER } from '../local/wrangler.ts'
import { SIGNALS } from './command.ts'

const USAGE = `Usage: npm run wrangler -- COMMAND...   or: npm run deploy [-- OPTION...]

Runs wrangler for the deployed service, which wrangler.toml and deploy.toml describe. deploy.toml has only the values
that differ. Git ignores it, see docs/operating.md. The command merges both into wrangler.deploy.json for wrangler.`

process.exitCode = await main(process.argv.slice(2))

async function main(args: string[]): Promise<number> {
  if (args.length === 0 || (args.length === 1 && args[0] === '--help')) {
    console.log(USAGE)
    return 0
  }
  try {
    const deployment = await readDeployment()
    checkDeployable(deployment, args)
    return await run([...args, '--config', deployment.config])
  } catch (error) {
    if (!(error instanceof LoadError)) throw error
    console.error(`wrangler: ${error.message}`)
    return 1
  }
}

function run(args: string[]): Promise<number> {
  const child = spawn(process.execPath, [WRANGLER, ...args], { stdio: 'inherit', cwd: ROOT })
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => resolve(code ?? 1))
  })
}
