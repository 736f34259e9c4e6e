import { createHash, randomBytes } from 'node:crypto'
import { basename } from 'node:path'
import { accessName, levelOf } from '../../src/base/access.ts'
import { LoadError } from '../load/error.ts'
import { addKey, countKeys, readKeys } from '../local/keys.ts'
import { runCommand } from './command.ts'

const USAGE = `Usage: npm run key [-- OPTION...]

Makes a key and prints it once. Only its digest is stored, in the secret API_KEYS.

  --add FILE    add the key to a file of secrets: .dev.vars, which npm start reads, or deploy.vars, see
                docs/operating.md. A secret has room for about 38 keys. Further keys go to API_KEYS_2 and so on
  --read LEVEL  the highest access level that the key may see: Common (the default), Private or Hidden
  --write       the key may write
  --name NAME   the owner of the key
  --help        show this text`

await runCommand({ name: 'key', usage: USAGE }, ({ text, flag }) => {
  const read = text('read') ?? 'Common'
  const level = levelOf(read)
  if (!level) throw new LoadError(`--read is ${read}: enter Common, Private or Hidden`)
  const stored = { read: accessName(level), write: flag('write'), name: text('name') ?? '' }
  const file = text('add')
  const key = randomBytes(24).toString('hex')
  const digest = createHash('sha256').update(key).digest('hex')
  const secret = file === undefined ? null : addKey(file, digest, stored)
  console.log(`Key, not shown again:        ${key}
Digest:                      ${digest}
Entry for the JSON API_KEYS: ${JSON.stringify({ [digest]: stored })}`)
  if (file === undefined) return
  const count = countKeys(readKeys(file))
  const next =
    basename(file) === '.dev.vars' ? 'Start the service again' : `Run npm run wrangler -- secret bulk ${file}`
  console.log(`Added to ${secret} in ${file}, now with ${count} ${count === 1 ? 'key' : 'keys'}. ${next} to use it.`)
})
