import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ROOT } from '../seed/local/wrangler.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'check-'))
  copyFileSync(join(ROOT, 'biome.json'), join(folder, 'biome.json'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const BIOME = join(ROOT, 'node_modules/@biomejs/biome/bin/biome')

it.each([
  ['what belongs to the project', 'src/a.ts', 1],
  ['what belongs to the project', 'package.json', 1],
  ['not a saved answer', 'answer.json', 0],
  ['not another folder', 'notes/a.ts', 0],
])('lint checks %s: %s', (_, name, status) => {
  const file = join(folder, name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, '{"a"  :1}')
  const args = [BIOME, 'check', '--vcs-enabled=false', '--no-errors-on-unmatched']
  expect(spawnSync(process.execPath, args, { cwd: folder }).status).toBe(status)
})
