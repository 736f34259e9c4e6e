import { execFileSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { expect, inject, it } from 'vitest'
import { makeFolder } from '../seed/program.ts'
import { giveDatabase, startOwn } from './own.ts'

const at = makeFolder('killed')

/** Returns the numbers of all processes below a process. */
const startedBy = (pid: number | undefined): number[] => {
  const listed = execFileSync('ps', ['-eo', 'ppid=,pid='], { encoding: 'utf8' })
  const own = Array.from(listed.matchAll(RegExp(`^ *${pid} +(\\d+)$`, 'gm')), ([, child]) => Number(child))
  return own.flatMap((child) => [child, ...startedBy(child)])
}

const nameOf = (pid: number): string => {
  try {
    return execFileSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  } catch {
    return '' // It has ended.
  }
}

it.each(['SIGKILL', 'SIGTERM'] as const)(
  'the runtime ends with the service after %s',
  async (signal) => {
    chmodSync(at(), 0o755)
    giveDatabase(null, at(signal))
    const { child, ended } = await startOwn(at(signal))
    const all = startedBy(child.pid)
    expect(all.map(nameOf)).toEqual([expect.stringMatching('workerd'), expect.any(String)])
    child.kill(signal)
    await ended
    await expect.poll(() => all.map(nameOf).filter((name) => name !== ''), { timeout: 10_000 }).toEqual([])
  },
  60_000,
)

it('the runtime that crashes is started again, and its old number is free', async () => {
  giveDatabase(inject('seeded'), at('crash'))
  const { child, port, ended } = await startOwn(at('crash'))
  const first = startedBy(child.pid)
  process.kill(first[0] ?? 0, 'SIGKILL')
  const statusOf = async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status
  await expect.poll(statusOf, { timeout: 20_000 }).toBe(200)
  const all = startedBy(child.pid)
  expect(all).not.toContain(first[0])
  child.kill('SIGKILL')
  await ended
  await expect.poll(() => [...first, ...all].filter((pid) => nameOf(pid) !== ''), { timeout: 10_000 }).toEqual([])
}, 60_000)
