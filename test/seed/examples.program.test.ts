import { readFileSync, writeFileSync } from 'node:fs'
import { writeXlsx } from 'hucre/xlsx'
import { expect, it } from 'vitest'
import { makeFolder, runCommand } from './program.ts'

const at = makeFolder('examples')

/** The first examples of the guide, as lists of arguments. The last two begin with the file and its series. */
const examples = (/## First load\n\n```sh\n(.*?)```/s.exec(readFileSync('docs/loading.md', 'utf8'))?.[1] ?? '')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) =>
    Array.from(
      line.replace('npm run load -- ', '').matchAll(/'([^']*)'|(\S+)/g),
      ([, quoted, bare]) => quoted ?? bare ?? '',
    ),
  )

it('the examples of "First load" work in order', { timeout: 120_000 }, async () => {
  writeFileSync(at('quakes.csv'), 'when,east,north,place,mag\n2020-01-01T00:00:00Z,5,52,here,3.1\n')
  writeFileSync(
    at('quakes.geojson'),
    '{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[5,52]},"properties":{"time":"2020-01-01"}}]}',
  )
  const rows = [
    ['start', 'x', 'y'],
    [new Date('2024-01-13T10:00:00Z'), 155000, 463000],
    ['14-01-2024 10:00', 155000, 463000],
  ]
  writeFileSync(at('meldingen.xlsx'), await writeXlsx({ sheets: [{ name: 'Data', rows }] } as never))
  writeFileSync(
    at('uurgeg_260.txt'),
    'BRON: KNMI\n\n# STN,YYYYMMDD,   HH,   FF,    T,   RH,    P\n\n  260,20200101,    1,   20,   55,    0,10200\n',
  )
  expect(examples).toHaveLength(4)
  const answers = []
  for (const [file = '', ...args] of examples)
    answers.push(await runCommand('load', [at(file), ...args, '--persist-to', at('state')]))
  expect(answers.map(({ status, stderr }) => [status, stderr])).toEqual(Array(4).fill([0, '']))
  expect(answers[0]?.stdout).toContain(
    'Not loaded, because an event has no such field: mag. To load it, add --attributes mag\n',
  )
})

it('counts of further faults stand without a prefix, and no fault of the system prints a stack', {
  timeout: 60_000,
}, async () => {
  writeFileSync(at('faults.csv'), `time,lon,lat\n2020-01-01,5,52\n${'bad,5,52\n'.repeat(5)}`)
  const load = (...args: string[]) =>
    runCommand('load', [at('faults.csv'), '--series', 'S', '--persist-to', at('state'), ...args])
  const { status, stderr } = await load('--skip-invalid')
  expect([status, stderr.split('\n').slice(2, 5)]).toEqual([
    2,
    [expect.stringMatching(/^Left out: .*line 5: "time" is "bad"/), '  and 2 more like these', ''],
  ])
  const path = '/dev/null/rejects.csv'
  expect(await load('--rejects', path)).toMatchObject({
    status: 1,
    stderr: `load: ENOTDIR: not a directory, open '${path}': enter another path, or make its folder\n`,
  })
})
