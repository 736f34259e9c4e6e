import { createHash, randomBytes } from 'node:crypto'
import { ACCESS_LEVELS, accessName, levelOf } from '../src/access.ts'
import { runCommand } from './command.ts'
import { LoadError } from './error.ts'

const USAGE = `Usage: npm run key [-- OPTION...]

Makes a key and prints it, this once; what is kept of it is its digest, in the secret API_KEYS.

  --read LEVEL  the greatest access modifier it sees: Common (the default), Private or Hidden
  --write       it may write
  --name NAME   whose it is
  --help        this text`

await runCommand(
  {
    name: 'key',
    usage: USAGE,
    options: {
      read: { type: 'string', default: 'Common' },
      write: { type: 'boolean', default: false },
      name: { type: 'string', default: '' },
    },
  },
  ({ read, write, name }) => {
    const level = levelOf(read) ?? 0
    if (level < ACCESS_LEVELS.Common) throw new LoadError(`--read takes Common, Private or Hidden, not ${read}`)
    make({ read: accessName(level), write, name })
  },
)

function make(stored: object): void {
  const key = randomBytes(24).toString('hex')
  const digest = createHash('sha256').update(key).digest('hex')
  console.log(`Key, not shown again:        ${key}
Digest:                      ${digest}
Entry for the JSON API_KEYS: ${JSON.stringify({ [digest]: stored })}`)
}
