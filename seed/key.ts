import { createHash, randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { ACCESS_LEVELS, accessName, levelOf } from '../src/access.ts'

const USAGE = `Usage: npm run key [-- OPTION...]

Makes a key and prints it, this once; what is kept of it is its digest, in the secret API_KEYS.

  --read LEVEL  the greatest access modifier it sees: Common (the default), Private or Hidden
  --write       it may write
  --name NAME   whose it is
  --help        this text`

process.exitCode = main(process.argv.slice(2))

function main(args: string[]): number {
  try {
    const { values } = parseArgs({
      args,
      options: {
        read: { type: 'string', default: 'Common' },
        write: { type: 'boolean', default: false },
        name: { type: 'string', default: '' },
        help: { type: 'boolean' },
      },
    })
    if (values.help) {
      console.log(USAGE)
      return 0
    }
    const level = levelOf(values.read) ?? 0
    if (level < ACCESS_LEVELS.Common) return refuse(`--read takes Common, Private or Hidden, not ${values.read}`)
    make({ read: accessName(level), write: values.write, name: values.name })
    return 0
  } catch (error) {
    if (error instanceof TypeError && 'code' in error) return refuse(`${error.message}\n\n${USAGE}`)
    throw error
  }
}

function refuse(message: string): number {
  console.error(`key: ${message}`)
  return 1
}

function make(stored: object): void {
  const key = randomBytes(24).toString('hex')
  const digest = createHash('sha256').update(key).digest('hex')
  console.log(`Key, not shown again:        ${key}
Digest:                      ${digest}
Entry for the JSON API_KEYS: ${JSON.stringify({ [digest]: stored })}`)
}
