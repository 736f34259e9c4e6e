import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { request as send } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, inject, it } from 'vitest'
import { run } from '../../seed/local/database.ts'

const DELAY = 400 // milliseconds

/** A Worker whose database answers late. The header X-Trips asks for the number of round trips until now. */
const ENTRY = `
import worker from './worker.js'
let trips = 0
const late = (session) => ({
  prepare: (sql) => session.prepare(sql),
  getBookmark: () => session.getBookmark(),
  batch: async (statements) => {
    trips += 1
    await scheduler.wait(${DELAY})
    return session.batch(statements)
  },
})
let DB
export default {
  fetch: (request, env, context) => {
    if (request.headers.has('X-Trips')) return new Response(String(trips))
    DB ??= { withSession: (from) => late(env.DB.withSession(from)) }
    return worker.fetch(request, { ...env, DB }, context)
  },
}`

it('a computation continues for others if its client leaves', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'left-'))
  cpSync(inject('seeded'), folder, { recursive: true })
  const variables = { STATE_SECONDS: '1', SHOW_COST: 'true' }
  const modules = { 'worker.js': inject('worker') }
  const miniflare = await run(folder, { script: ENTRY, modules, variables, log: () => {} })
  try {
    const { hostname, port, origin } = await miniflare.ready
    const path = '/api/v3/events/summary/?category__icontains=e'
    const tripsNow = async () => Number(await (await fetch(origin, { headers: { 'X-Trips': '' } })).text())
    const first = send({ hostname, port, path }).on('error', () => {})
    first.end()
    // The computation runs.
    while ((await tripsNow()) < 1) await wait(10)
    first.destroy()
    await wait(3 * DELAY)
    const second = await fetch(`${origin}${path}`)
    expect(second.headers.get('Server-Timing')).toContain('cache;desc="isolate"')
    expect(((await second.json()) as { count: number }).count).toBeGreaterThan(0)
  } finally {
    await miniflare.dispose()
    rmSync(folder, { recursive: true })
  }
})
