import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type RunningWorker, startWorker } from '../worker.ts'
import { makeFolder, runCommand } from './program.ts'

/** Encodes the characters of windows-1252 that these tests use. */
const encoded = (content: string) => Buffer.from(content.replaceAll('–', '\x96').replaceAll('€', '\x80'), 'latin1')
const decoded = (bytes: Buffer) => new TextDecoder('windows-1252').decode(bytes)

const HEADER = 'Melding;Begin;Einde;X (RD);Y (RD);Volume (m³);Diepte (m);Diepte m;Telefoon;Oorzaak'
const TEXT = '"Hevige; ""neerslag"" – €"'
const row = (id: string, { begin = '06-11-2025 05:09', end = '07-11-2026 05:17', x = '150259,25', value = '547,90' }) =>
  `${id};${begin};${end};${x};410356,11;${value};-2,5;3;030,1234567;${TEXT}`
const GOOD = [
  row('M1', {}),
  row('M2', { value: '1e3' }),
  row('M3', { value: '12,25' }),
  row('M4', { value: 'n.b.' }),
  row('M5', { value: '1.234,5' }),
  row('M6', { value: '1.234' }),
]
const BAD = [
  row('M7', { begin: '31-02-2026 10:00' }),
  row('M8', { end: '01-01-2020 00:00' }),
  row('M9', { x: 'onbekend' }),
  row('M10', { begin: '29-03-2026 02:30' }),
]
const OPTIONS = [
  ...['--series', 'Overstorten', '--encoding', 'windows-1252', '--crs', '28992', '--timezone', 'Europe/Amsterdam'],
  ...['--date-format', 'DD-MM-YYYY HH:mm', '--start', 'Begin', '--end', 'Einde', '--x', 'X (RD)', '--y', 'Y (RD)'],
  ...['--value', 'Volume (m³)', '--category', 'Oorzaak', '--key-column', 'Melding', '--attributes', '*'],
]

const at = makeFolder('dutch')
const state = at('state')

const fileOf = (name: string, rows: readonly string[]) => {
  writeFileSync(at(name), encoded(`${[HEADER, ...rows].join('\r\n')}\r\n`))
  return at(name)
}

const load = (file: string, ...args: string[]) => runCommand('load', [file, ...OPTIONS, '--persist-to', state, ...args])

describe('a Dutch file, with semicolons, decimal commas and windows-1252', () => {
  let first: Awaited<ReturnType<typeof load>>
  let service: RunningWorker | undefined
  beforeAll(async () => {
    first = await load(fileOf('all.csv', [...GOOD, ...BAD]), '--rejects', at('rejects.csv'))
  }, 120_000)
  afterAll(() => service?.close())

  it('is loaded without its faulty rows, and the exit code says so', () => {
    expect(first.status).toBe(2)
    expect(first.stdout).toMatch(
      /Loaded 6 events and 1 event series in [\d.]+ s\. 4 faulty records were left out\.\nSee \/api\/v3\/events\/\?event_series=[0-9a-f]{8}\n$/,
    )
  })

  it('needs one line more, which the first run shows', { timeout: 120_000 }, async () => {
    const file = fileOf('first.csv', [...GOOD, row('M7', { begin: '16-11-2025 05:09' })])
    const { status, stderr } = await runCommand('load', [file, '--persist-to', state])
    expect(status).toBe(1)
    const [bytes, series, columns, dates, metres, , line = ''] = stderr.split('\n')
    expect([bytes, series]).toEqual([
      expect.stringContaining('line 1: the bytes b3 are not UTF-8: name the encoding, such as --encoding windows-1252'),
      `${file}: no column has the series of the events: use --series NAME`,
    ])
    expect(columns).toContain(`${file}: no column for x, y among Melding, Begin,`)
    expect(dates).toBe(
      `${file}: dates such as 06-11-2025 05:09 are not ISO 8601: use --date-format 'DD-MM-YYYY HH:mm', which reads 7 of them. Times without a zone are UTC. For Dutch clocks add --timezone Europe/Amsterdam.`,
    )
    expect(metres).toMatch(/metres: use --crs 28992/)
    expect(line).toMatch(/^npm run load -- .* --dry-run$/)
    const args = line.replace('npm run load -- ', 'node seed/commands/load.ts ')
    const stdout = execFileSync('sh', ['-c', `${args} --timezone Europe/Amsterdam`], { encoding: 'utf8' })
    expect(stdout).toContain('Period: 2025-11-06T04:09:00.000Z to 2026-11-07T04:17:00.000Z')
    expect(stdout).toMatch(/New series first: Public.*\nWould load 7 events and 1 event series\.\n$/)
  })

  it('is reported with its numbers, texts and names of attributes', () => {
    const lines = first.stdout.split('\n')
    expect(lines).toContain(
      'Value: 3 numbers, 3 texts ("n.b.", "1.234,5", "1.234"); for numbers such as 1.234,5 use --thousands .; for missing values use --null n.b.',
    )
    expect(lines).toContain('New series Overstorten: Public, so everybody can read it. --access names another level')
    expect(first.stdout).not.toContain('as UTC')
    expect(lines).toContain('Attribute Diepte_m_2: 6 numbers')
    expect(lines).toContain('Attribute Telefoon: 6 texts ("030,1234567")')
    expect(lines).toContain('Attributes with names for filters: "Diepte (m)" is Diepte_m, "Diepte m" is Diepte_m_2')
  })

  it('has faults in its own words', () => {
    const faults = first.stderr.split('\n')
    expect(faults.find((line) => line.includes('line 9'))).toContain(
      '"Einde" is "01-01-2020 00:00", before "Begin", "06-11-2025 05:09": enter a later time',
    )
    expect(faults.find((line) => line.includes('line 10'))).toMatch(
      /"X \(RD\), Y \(RD\)" is \["onbekend",410356.11\]: enter \[x, y\] or \[x, y, z\] in EPSG:28992, such as \[1\d{5},4\d{5}\]/,
    )
    expect(faults.find((line) => line.includes('line 11'))).toContain(
      '"Begin" is "29-03-2026 02:30": enter another time, because the clock of Europe/Amsterdam skips this one',
    )
  })

  it('has rejects that keep its form, and that the same command loads', { timeout: 120_000 }, async () => {
    const lines = decoded(readFileSync(at('rejects.csv'))).split('\r\n')
    expect(lines[0]).toBe(`${HEADER};load_fault`)
    expect(lines.slice(1, -1).map((line, i) => line.startsWith(`${BAD[i]};`))).toEqual([true, true, true, true])

    // Uncorrected rows are rejected again, in the same form.
    expect(await load(at('rejects.csv'), '--rejects', at('again.csv'))).toMatchObject({ status: 1 })
    expect(readFileSync(at('again.csv'))).toEqual(readFileSync(at('rejects.csv')))

    const corrected = lines
      .join('\r\n')
      .replace('31-02-2026', '28-02-2026')
      .replace('01-01-2020', '07-11-2026')
      .replace('onbekend', '150259,25')
      .replace('29-03-2026 02:30', '29-03-2026 01:30')
    writeFileSync(at('corrected.csv'), encoded(corrected))
    const { status, stdout, stderr } = await load(at('corrected.csv'))
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/Loaded 4 events and 0 event series in [\d.]+ s\.\nSee .*\n$/)
    expect(stdout).not.toContain('load_fault')
  })

  it('is loaded silently with --quiet, except for its faults', { timeout: 120_000 }, async () => {
    expect(await load(fileOf('good.csv', GOOD), '--quiet')).toEqual({ status: 0, stdout: '', stderr: '' })
    const faulty = await load(fileOf('one.csv', [...GOOD, row('M11', { x: '' })]), '--skip-invalid', '--quiet')
    expect(faulty).toMatchObject({ status: 2, stdout: '' })
    expect(faulty.stderr).toMatch(/^Left out: .*one.csv, line 8: .*\n.* 1 faulty record was left out\.\n$/)
  })

  it('describes its columns by its headers, which options replace', { timeout: 120_000 }, async () => {
    const more = [
      '--title',
      'Telefoon=Phone',
      '--unit',
      'Diepte m=cm',
      '--source',
      'Waterschap',
      '--license',
      'CC0-1.0',
    ]
    expect(await load(fileOf('titled.csv', GOOD), ...more, '--quiet')).toEqual({ status: 0, stdout: '', stderr: '' })
    service ??= await startWorker(inject('worker'), state, {}, true)
    const get = async (path: string): Promise<unknown> => (await fetch(`${service?.address}${path}`)).json()
    const series = await get('/api/v4/eventseries/?name=Overstorten')
    const [{ uuid } = { uuid: '' }] = (series as { results: { uuid: string }[] }).results
    expect(await get(`/api/v4/eventseries/${uuid}/metadata/`)).toEqual({
      ...{ source: 'Waterschap', source_url: null, license: 'CC0-1.0', contact: null, more: false },
      fields: [
        { name: 'value', title: 'Volume', type: 'string', unit: 'm³' },
        { name: 'category', title: 'Oorzaak', type: 'string' },
        { name: 'timestamp_start', type: 'datetime' },
        { name: 'timestamp_end', type: 'datetime' },
        { name: 'external_id', title: 'Melding', type: 'string' },
        { name: 'attributes__Diepte_m', title: 'Diepte', type: 'number', unit: 'm' },
        { name: 'attributes__Diepte_m_2', title: 'Diepte m', type: 'integer', unit: 'cm' },
        { name: 'attributes__Telefoon', title: 'Phone', type: 'string' },
      ],
    })
    const wrong = await load(at('titled.csv'), '--unit', 'Nope=m', '--quiet')
    expect(wrong).toMatchObject({ status: 1, stderr: expect.stringMatching(/none has attributes__Nope/) })
  })

  it('can be filtered and sorted by its numbers', { timeout: 120_000 }, async () => {
    service ??= await startWorker(inject('worker'), state, {}, true)
    const get = async (query: string) => {
      const answer = await fetch(`${service?.address}/api/v4/events/?page_size=20&${query}`)
      const { results } = (await answer.json()) as { results: { properties: { external_id: string } }[] }
      return results.map(({ properties }) => properties)
    }
    const ids = async (query: string) => (await get(query)).map(({ external_id }) => external_id)
    expect((await ids('value__gt=500&ordering=id')).slice(0, 2)).toEqual(['M1', 'M2'])
    expect((await ids('ordering=-value_number'))[0]).toBe('M2')
    expect(await get('external_id=M1')).toMatchObject([
      {
        value: '547.90',
        category: 'Hevige; "neerslag" – €',
        attributes: { Diepte_m: -2.5, Diepte_m_2: 3, Telefoon: '030,1234567' },
      },
    ])
    expect(await ids('attributes__Diepte_m__lt=-2&external_id__in=M1,M5')).toEqual(['M1', 'M5'])
    expect(await ids('external_id=M7')).toEqual(['M7'])
  })
})
