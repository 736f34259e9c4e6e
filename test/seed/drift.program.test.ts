import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type RunningWorker, startWorker } from '../worker.ts'
import { query } from './dump.ts'
import { apiKeysOf, makeFolder, runCommand } from './program.ts'

const at = makeFolder('drift')
const state = at('state')
const COLUMNS = ['--key-column', 'id', '--attributes', 'v', '--value', 'w']

/** Loads rows of the columns v and w into a series. */
const load = (
  series: string,
  rows: readonly string[],
  args: readonly string[],
  target = ['--persist-to', state],
  key = '',
) => {
  const lines = rows.map((row, i) => `k${i},2020-01-01,5,52,${row}`)
  writeFileSync(at('night.csv'), ['id,t,lon,lat,v,w', ...lines, ''].join('\n'))
  return runCommand('load', [at('night.csv'), '--start', 't', '--series', series, ...COLUMNS, ...target, ...args], key)
}

const typesOf = (series: string) => {
  const [row] = query(state, `SELECT metadata FROM event_series WHERE name = '${series}'`)
  const { fields } = JSON.parse(String(row?.metadata)) as { fields: { name: string; type: string }[] }
  return fields.filter(({ name }) => /value|__v/.test(name)).map(({ type }) => type)
}

const NUMBERS = ['3.1,1', '3.2,2']
const ONE_TEXT = ['3.1,1', '"3,2",2']
const LINES = [
  `The type of attributes__v changes from number to string for every reader: 1 value, the first is "3,2" at ${at('night.csv')}, line 3`,
  'Correct the values and load them again, or accept the change with --allow-types',
]

describe('a night with a text in a column of numbers', () => {
  beforeAll(async () => {
    for (const series of ['Night', 'Consent', 'Whole'])
      expect(await load(series, NUMBERS, ['--quiet'])).toMatchObject({ status: 0, stderr: '' })
  })

  it('is told before it is loaded, is loaded, and ends with 2', async () => {
    const dry = await load('Night', ONE_TEXT, ['--dry-run'])
    expect([dry.status, dry.stderr, typesOf('Night')]).toEqual([2, `${LINES.join('\n')}\n`, ['integer', 'number']])
    const loaded = await load('Night', ONE_TEXT, ['--quiet'])
    expect([loaded.status, loaded.stdout, typesOf('Night')]).toEqual([2, '', ['integer', 'string']])
    expect(loaded.stderr).toMatch(
      new RegExp(`^${LINES.join('\n').replace(/[.()]/g, '\\$&')}\nLoaded 0 events .* 1 event was changed`),
    )
    // The column has texts now, so the next night says nothing.
    expect(await load('Night', ONE_TEXT, ['--quiet'])).toMatchObject({ status: 0, stderr: '' })
  })

  it('is corrected by the numbers and a recount, which tells the new type', async () => {
    expect(await load('Night', NUMBERS, ['--quiet'])).toMatchObject({ status: 0 })
    const { status, stdout } = await runCommand('recount', ['--persist-to', state])
    const line = '"Night": the type of attributes__v changes from string to number.'
    expect([status, stdout, typesOf('Night')]).toEqual([0, `${line}\nCounted all events.\n`, ['integer', 'number']])
  })

  it('is accepted with --allow-types, which the report tells', async () => {
    const { status, stdout, stderr } = await load('Consent', ONE_TEXT, ['--allow-types'])
    expect([status, stderr, typesOf('Consent')]).toEqual([0, '', ['integer', 'string']])
    expect(stdout).toContain(LINES[0])
  })

  it('says without another exit code that integers become numbers', async () => {
    const { status, stdout, stderr } = await load('Whole', ['3.1,1.5', '3.2,2.5'], [])
    expect([status, stderr, typesOf('Whole')]).toEqual([0, '', ['number', 'number']])
    expect(stdout).toContain(
      `The type of value changes from integer to number for every reader: 2 values, the first is "1.5"`,
    )
  })
})

describe('through a service', () => {
  let service: RunningWorker
  beforeAll(async () => {
    service = await startWorker(
      inject('worker'),
      at('served'),
      { API_KEYS: apiKeysOf({ k: { read: 'Hidden', write: true } }) },
      true,
    )
  })
  afterAll(() => service.close())

  it('the same is told', async () => {
    const to = ['--to', service.address]
    expect(await load('Served', NUMBERS, ['--quiet'], to, 'k')).toMatchObject({ status: 0, stderr: '' })
    const { status, stderr } = await load('Served', ONE_TEXT, ['--quiet'], to, 'k')
    expect([status, stderr.split('\n').slice(0, 2)]).toEqual([2, LINES])
  })
})
