import { readFileSync } from 'node:fs'
import { readXlsx } from 'hucre/xlsx'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { makeFolder, runCommand } from '../seed/program.ts'
import { DUTCH, describePages, EVENTS, OVERFLOWS, SERIES } from './pages.ts'

const at = makeFolder('groups')
const METADATA = {
  ...{ source: null, source_url: null, license: null, contact: null, more: false },
  fields: [
    { name: 'value', title: 'Volume', type: 'string', unit: 'm³' },
    { name: 'category', title: 'Oorzaak', type: 'string' },
    { name: 'attributes__Gemeente', title: 'Plaats', type: 'string' },
    { name: 'attributes__diepte', title: 'Diepte', type: 'number', unit: 'm' },
    { name: 'timestamp_start', title: 'Begin', type: 'datetime' },
  ],
}
const TOWNS = ['Utrecht', 'Zeist', 'De Bilt', "'s-Hertogenbosch"]
const CAUSES = ['Neerslag', 'Verstopping', '']
const HOUR = 3_600_000 // milliseconds

interface Overflow {
  readonly start: number
  readonly value: string
  readonly category: string
  readonly attributes: { readonly Gemeente?: string; readonly diepte: number }
}

/** An overflow each 50 hours, in two winters and the summer between them. Some have no number, and some no town. */
const OVERFLOWED: readonly Overflow[] = Array.from({ length: 300 }, (_, i) => {
  const town = TOWNS[(i * 7) % 5]
  return {
    start: Date.UTC(2024, 9, 1) + i * 50 * HOUR,
    value: i % 29 === 0 ? '<10' : `${(i * 37) % 400}.${i % 10}`,
    category: CAUSES[i % 3] ?? '',
    attributes: { ...(town && { Gemeente: town }), diepte: i % 4 },
  }
})
const RECORDS = [
  { ...SERIES, metadata: METADATA },
  ...OVERFLOWED.map((event, i) => ({
    ...{ kind: 'event', id: 90_001 + i, series: 71, end: event.start, coordinates: [5.1, 52.1], object: null },
    ...event,
  })),
]
const LIST = `${EVENTS}?event_series=${OVERFLOWS}`
/** A winter of six months in the zone of the browser, which changes its clock twice in it. */
const WINTER = `${LIST}&timestamp_start__range=2025-10-01,2026-03-31T23:59:59.999999&timezone=Europe/Amsterdam`
const AMSTERDAM = { ...DUTCH, timezoneId: 'Europe/Amsterdam' }
const [OCTOBER, APRIL] = [-2 * HOUR, -2 * HOUR]
const winter = (year: number): readonly [from: number, before: number] => [
  Date.UTC(year, 9, 1) + OCTOBER,
  Date.UTC(year + 1, 3, 1) + APRIL,
]

const within = ([from, before]: readonly [number, number]) =>
  OVERFLOWED.filter(({ start }) => start >= from && start < before)

/** Returns the number of events and the sum of their numbers, by a plain computation. */
const computed = (events: readonly Overflow[]) => {
  const numbers = events.map(({ value }) => Number(value)).filter((number) => !Number.isNaN(number))
  return { count: events.length, numbers, sum: numbers.reduce((sum, number) => sum + number, 0) }
}

const dutch = (value: number, decimals = 0): string =>
  value.toLocaleString('nl', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })

/** Returns the cells of each row of the groups. */
const cells = async (page: Page): Promise<string[][]> => {
  await page.locator('.groups:not([aria-busy]) tbody tr').first().waitFor()
  const rows = page.locator('.groups tbody tr')
  return rows.evaluateAll((all) =>
    all.map((row) => [...row.children].map((cell) => (cell.textContent ?? '').replace(/^[▸▾]/, ''))),
  )
}

const choice = (page: Page, name: string) => page.getByRole('combobox', { name, exact: true })

/** Returns the cells of both sheets of a workbook. Instants are texts without a zone. */
const sheetsOf = async (file: string) => {
  const { sheets } = await readXlsx(readFileSync(file))
  const plain = (cell: unknown) => (cell instanceof Date ? cell.toISOString().slice(0, 19).replace('T', ' ') : cell)
  const [rows = [], facts = []] = sheets.map(({ rows }) => rows.map((row) => row.map(plain)))
  return { rows, facts }
}

describePages('groups in a browser', { records: RECORDS }, ({ look }) => {
  it('counts and sums up the events of each group, and says what has no number or no group', () =>
    look(
      `${LIST}#group=attributes__Gemeente&number=value`,
      async (page) => {
        const all = computed(OVERFLOWED)
        const numbers = (events: readonly Overflow[]) => {
          const { count, numbers, sum } = computed(events)
          const [least, greatest] = [Math.min(...numbers), Math.max(...numbers)]
          return [dutch(count), dutch(sum, 1), dutch(sum / numbers.length, 2), dutch(least, 1), dutch(greatest, 1)]
        }
        const of = (town: string | undefined) => OVERFLOWED.filter(({ attributes }) => attributes.Gemeente === town)
        const ordered = TOWNS.toSorted((a, b) => computed(of(b)).sum - computed(of(a)).sum)
        expect(await cells(page)).toEqual([
          ['Alles', ...numbers(OVERFLOWED)],
          ...ordered.map((town) => [town, ...numbers(of(town))]),
          ['geen', dutch(of(undefined).length), '–', '–', '–', '–'],
        ])
        const missing = `${all.count - all.numbers.length} van ${all.count} zonder getal`
        expect(await page.locator('.groups > .muted').allInnerTexts()).toEqual([missing])
        expect(await page.getByRole('columnheader', { name: 'Som' }).getAttribute('aria-sort')).toBe('descending')
        const table = await page.getByRole('link', { name: 'Download als CSV' }).getAttribute('href')
        const [heads, most] = (await (await page.request.get(new URL(table ?? '', page.url()).href)).text()).split(
          '\r\n',
        )
        expect(heads).toBe(
          '\uFEFFPlaats;count;Volume (m³): count;Volume (m³): min;Volume (m³): max;Volume (m³): mean;Volume (m³): sum',
        )
        expect(most?.split(';')[0]).toBe(ordered[0])
      },
      AMSTERDAM,
    ))

  it('is chosen by title, ordered by a head, and kept in the address', () =>
    look(LIST, async (page) => {
      await choice(page, 'Group by').selectOption({ label: 'Plaats' })
      await choice(page, 'Number').selectOption({ label: 'Diepte (m)' })
      await page.getByRole('button', { name: 'Count', exact: true }).click()
      await page.locator('[aria-sort=descending]', { hasText: 'Count' }).waitFor()
      const [, ...counts] = (await cells(page)).map(([, count]) => Number(count))
      expect(counts.slice(0, 4)).toEqual(counts.slice(0, 4).toSorted((a, b) => b - a))
      await page.getByRole('button', { name: 'Plaats', exact: true }).click()
      await page.locator('[aria-sort=ascending]', { hasText: 'Plaats' }).waitFor()
      expect(new URL(page.url()).hash).toBe(
        '#group=attributes__Gemeente&number=attributes__diepte&graph=attributes__diepte__mean&order=text',
      )
      await page.reload()
      expect((await cells(page)).map(([name]) => name)).toEqual(['All', ...TOWNS.toSorted(), 'none'])
      await choice(page, 'Group by').selectOption({ label: 'nothing' })
      await page.locator('.table:not(.groups) tbody tr').first().waitFor()
    }))

  it('leads to the events of a group, and opens the groups within it', () =>
    look(`${LIST}#group=attributes__Gemeente,category`, async (page) => {
      await page.getByRole('button', { name: 'Show the parts of Zeist' }).click()
      await page.locator('.groups .part a').first().waitFor()
      const zeist = OVERFLOWED.filter(({ attributes }) => attributes.Gemeente === 'Zeist')
      const counted = CAUSES.map((cause) => [
        cause || '(empty)',
        zeist.filter(({ category }) => category === cause).length,
      ])
      const parts = await page.locator('.groups .part').allInnerTexts()
      expect(parts.map((text) => text.split('\t').map((cell) => cell.trim())).sort()).toEqual(
        counted.map((each) => each.map(String)).sort(),
      )
      await page.locator('.groups .part', { hasText: 'Verstopping' }).getByRole('link').click()
      const matches = zeist.filter(({ category }) => category === 'Verstopping').length
      await page.locator('h1', { hasText: `${matches} events` }).waitFor()
      expect(decodeURIComponent(new URL(page.url()).search)).toContain(
        'attributes__Gemeente=Zeist&category=Verstopping',
      )
    }))

  it('compares a winter with the winter before, in local time', () =>
    look(
      `${WINTER}#group=attributes__Gemeente&number=value&compare=year`,
      async (page) => {
        await page.locator('.groups td', { hasText: '%' }).first().waitFor()
        const compared = (town?: string) => {
          const of = (year: number) => {
            const events = within(winter(year))
            return computed(town === undefined ? events : events.filter((each) => each.attributes.Gemeente === town))
          }
          const [now, then] = [of(2025), of(2024)]
          const change = (a: number, b: number) =>
            (a / b - 1).toLocaleString('nl', { style: 'percent', signDisplay: 'exceptZero' })
          const counts = [dutch(now.count), dutch(then.count), change(now.count, then.count)]
          return [...counts, dutch(now.sum, 1), dutch(then.sum, 1), change(now.sum, then.sum)]
        }
        const [all, ...others] = await cells(page)
        expect(all).toEqual(['Alles', ...compared()])
        for (const [town = '', ...numbers] of others.slice(0, TOWNS.length)) expect(numbers).toEqual(compared(town))
        const heads = await page.locator('.groups thead tr').last().locator('th').allInnerTexts()
        expect(heads).toEqual(['Plaats', '2025/26', '2024/25', 'Verschil', '2025/26', '2024/25', 'Verschil'])
        const said = '1 okt 2025 – 31 mrt 2026, vergeleken met 1 okt 2024 – 31 mrt 2025'
        expect(await page.locator('.groups > .muted').first().innerText()).toBe(said)
      },
      AMSTERDAM,
    ))

  it('groups by parts of the start on the clock of the page, in the order of time', () =>
    look(
      `${LIST}#group=timestamp_start__month`,
      async (page) => {
        const monthOf = ({ start }: Overflow) =>
          new Date(start).toLocaleString('nl', { month: 'long', timeZone: 'Europe/Amsterdam' })
        const months = Map.groupBy(OVERFLOWED, monthOf)
        const names = Array.from({ length: 12 }, (_, month) =>
          new Date(Date.UTC(2001, month, 15)).toLocaleString('nl', { month: 'long' }),
        )
        expect((await cells(page)).slice(1)).toEqual(
          names.filter((name) => months.has(name)).map((name) => [name, dutch(months.get(name)?.length ?? 0)]),
        )
        // The link of a month has the same events, on the same clock.
        await page.locator('.groups').getByRole('link', { name: 'maart' }).click()
        await page.locator('h1', { hasText: `${months.get('maart')?.length} gebeurtenissen` }).waitFor()
        await page.locator('.chip', { hasText: 'Maand: maart' }).waitFor()
      },
      AMSTERDAM,
    ))

  it.each([
    'attributes__Gemeente',
    'category',
    'event_series',
    'timestamp_start__year',
    'timestamp_start__month',
    'timestamp_start__weekday',
    'timestamp_start__hour',
  ])('each number of a group by %s is the count of the list that its row leads to', (name) =>
    look(
      `${WINTER}#group=${name}`,
      async (page) => {
        const counts = new Map((await cells(page)).map(([title = '', count]) => [title, count]))
        const links = await page.locator('.groups tbody a').all()
        for (const link of links) {
          const list = new URL((await link.getAttribute('href')) ?? '', page.url())
          list.searchParams.set('format', 'json')
          const { count } = await (await page.request.get(list.href)).json()
          expect(dutch(count)).toBe(counts.get(await link.innerText()))
        }
        expect(links.length).toBeGreaterThan(0)
      },
      AMSTERDAM,
    ),
  )

  it('the months of a winter begin with October, their rows show events, and the way back leads to the groups', () =>
    look(
      `${WINTER}#group=timestamp_start__month`,
      async (page) => {
        const months = ['oktober', 'november', 'december', 'januari', 'februari', 'maart']
        expect((await cells(page)).map(([name]) => name)).toEqual(['Alles', ...months])
        const order = page.getByRole('combobox', { name: 'Sorteer op' })
        expect(await order.count()).toBe(0)
        await page.getByRole('button', { name: /^Maand/ }).click()
        await expect.poll(async () => (await cells(page))[1]?.[0]).toBe('maart')
        await page.locator('.groups').getByRole('link', { name: 'maart' }).click()
        await page.locator('.table:not(.groups) tbody tr').first().waitFor()
        expect(new URL(page.url()).hash).toBe('')
        await order.waitFor()
        await page.goBack()
        await expect.poll(async () => (await cells(page))[1]?.[0]).toBe('maart')
      },
      AMSTERDAM,
    ))

  it('a number has a histogram with two handles, and two fields as the reader writes numbers', () =>
    look(
      LIST,
      async (page) => {
        const facet = page.getByRole('region', { name: 'Volume (m³)' })
        await facet.locator('rect').nth(3).waitFor()
        const least = facet.getByRole('textbox', { name: 'Volume (m³) minstens' })
        await least.fill('112,5')
        await least.press('Enter')
        const from = (least: number, most = 1000) =>
          OVERFLOWED.filter(({ value }) => Number(value) >= least && Number(value) <= most).length
        await page.locator('h1', { hasText: `${from(112.5)} gebeurtenissen` }).waitFor()
        // The histogram also has the numbers outside the range.
        await facet.locator('rect:not(.in)').first().waitFor()
        const handle = facet.getByRole('slider', { name: 'Volume (m³) hoogstens' })
        await handle.focus()
        await page.keyboard.press('ArrowLeft')
        const most = facet.getByRole('textbox', { name: 'Volume (m³) hoogstens' })
        await expect.poll(() => most.inputValue()).not.toBe('')
        const until = Number((await most.inputValue()).replace(',', '.'))
        await page.locator('h1', { hasText: `${from(112.5, until)} gebeurtenissen` }).waitFor()
        expect(new URL(page.url()).searchParams.get('value__range')).toBe(`112.5,${until}`)
        await page.locator('.chip', { hasText: `Volume (m³): 112,5 – ${until}` }).waitFor()
        await least.fill('veel')
        await least.press('Enter')
        expect(await least.getAttribute('aria-invalid')).toBe('true')
        await least.fill('')
        await least.press('Enter')
        await page.waitForURL(/value__lte=/)
      },
      AMSTERDAM,
    ))

  it('the panel has the years and the months of all matches, and each facet is one stop of the Tab key', () =>
    look(
      WINTER,
      async (page) => {
        const facet = (name: string) => page.getByRole('region', { name, exact: true })
        const entries = async (name: string) =>
          (await facet(name).locator('li').allInnerTexts()).map((text) => text.split('\n'))
        const counted = within(winter(2025))
        const inYear = (year: number) =>
          counted.filter(({ start }) => new Date(start + HOUR).getUTCFullYear() === year).length
        await facet('Maand').getByRole('checkbox').first().waitFor()
        expect(await entries('Jaar')).toEqual([2026, 2025].map((year) => [String(year), dutch(inYear(year))]))
        expect((await entries('Maand')).map(([month]) => month)).toEqual([
          ...['oktober', 'november', 'december', 'januari', 'februari', 'maart'],
        ])
        await facet('Jaar').locator('summary').focus()
        await page.keyboard.press('ArrowDown')
        await page.keyboard.press('Space')
        await page.locator('h1', { hasText: `${inYear(2026)} gebeurtenissen` }).waitFor()
        await page.locator('.chip', { hasText: 'Jaar: 2026' }).waitFor()
        await page.keyboard.press('ArrowUp')
        await page.keyboard.press('Tab')
        expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Maand')
      },
      AMSTERDAM,
    ))

  it('the first and the last week of a winter are incomplete, and their tips say which days they count', () =>
    look(
      WINTER,
      async (page) => {
        await page.locator('.plot .incomplete').first().waitFor({ state: 'attached' })
        const tips = await page.locator('.plot .incomplete title').allTextContents()
        expect(tips.map((tip) => /\((.*)\)/.exec(tip)?.[1]?.replaceAll('\u2009', ' '))).toEqual([
          'onvolledig: 1–5 okt 2025',
          'onvolledig: 30–31 mrt 2026',
        ])
      },
      AMSTERDAM,
    ))

  it('the graph shows a statistic of a number in each bar, beside the winter before', () =>
    look(
      `${WINTER}#compare=year`,
      async (page) => {
        await choice(page, 'Toon').selectOption({ label: 'Som van Volume (m³)' })
        await page.locator('.timeline small', { hasText: 'Som van Volume (m³) per' }).waitFor()
        await page.locator('.layers', { hasText: '2024/25' }).waitFor()
        expect(new URL(page.url()).hash).toBe('#compare=year&graph=value__sum')
        const tips = await page.locator('.plot title').allTextContents()
        const sums = tips.flatMap((tip) => /Som van Volume \(m³\): ([\d.]+(?:,\d+)?)/.exec(tip)?.[1] ?? [])
        const numbers = sums.map((text) => Number(text.replaceAll('.', '').replace(',', '.')))
        const { sum } = computed(within(winter(2025)))
        // Each bar of at least 1,000 is rounded to a whole number.
        expect(Math.abs(numbers.reduce((all, each) => all + each, 0) - sum)).toBeLessThan(numbers.length / 2)
        expect(tips.filter((tip) => tip.includes('2024/25: ')).length).toBeGreaterThan(20)
        await choice(page, 'Toon').selectOption({ label: 'Gemiddelde van Diepte (m)' })
        await page.locator('.timeline small', { hasText: 'Gemiddelde van Diepte (m) per' }).waitFor()
      },
      AMSTERDAM,
    ))

  it('a frame shows one part of the list, its source, and a link to the whole page', () =>
    look(
      `${WINTER}#graph=value__sum&embed=graph`,
      async (page) => {
        await page.locator('.timeline small', { hasText: 'Som van Volume (m³) per' }).waitFor()
        const { count } = computed(within(winter(2025)))
        const said = (await page.locator('body').innerText()).split('\n')
        expect(said).toContain(`${dutch(count)} gebeurtenissen`)
        for (const hidden of ['Kopieer link', 'Download', 'Groepeer op', 'Wis alles'])
          expect(await page.getByText(hidden).isVisible()).toBe(false)
        expect(await page.locator('.rows').isVisible()).toBe(false)
        const whole = await page.getByRole('link', { name: 'Open de hele pagina' }).getAttribute('href')
        expect(new URL(whole ?? '', page.url()).hash).toBe('#graph=value__sum')
      },
      AMSTERDAM,
    ))

  it('a button copies the code of a frame', () =>
    look(`${WINTER}#graph=value__sum`, async (page) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.getByRole('button', { name: 'Download' }).click()
      await page.locator('#embed').getByRole('button', { name: 'Graph' }).click()
      await page.locator('#embed').getByRole('button', { name: 'Copied' }).waitFor()
      const code = await page.evaluate(() => navigator.clipboard.readText())
      const [, src = ''] = /^<iframe src="([^"]+)" title="\d+ events" height="260" /.exec(code) ?? []
      expect(new URL(src.replaceAll('&amp;', '&')).hash).toBe('#graph=value__sum&embed=graph')
    }))

  it('tables have the columns that the reader chose, in their order, and other files have all', () =>
    look(
      `${EVENTS}?event_series=${OVERFLOWS}&fields=geometry,external_id,attributes__Gemeente,coordinates,duration,event_series`,
      async (page) => {
        await page.getByRole('button', { name: 'Download' }).click()
        const headOf = async (name: string) => {
          const link = page.locator('#downloads').getByRole('link', { name, exact: true })
          const response = await page.request.get(new URL((await link.getAttribute('href')) ?? '', page.url()).href)
          const [head = ''] = (await response.text()).replace('\ufeff', '').split('\r\n')
          return name === 'NDJSON' ? Object.keys(JSON.parse(head.split('\n')[0] ?? '')) : head.split(/[,;]/)
        }
        expect(await headOf('CSV')).toEqual([
          ...['external_id', 'attributes__Gemeente', 'longitude', 'latitude', 'z'],
          ...['timestamp_start', 'timestamp_end', 'event_series_name'],
        ])
        expect(await headOf('Spreadsheet')).toEqual([
          ...['external_id', 'Plaats', 'longitude', 'latitude', 'z'],
          ...['Begin (Europe/Amsterdam)', 'timestamp_end (Europe/Amsterdam)', 'event_series_name'],
        ])
        expect(await headOf('NDJSON')).toEqual(['id', 'type', 'geometry', 'properties'])
        const saved = page.waitForEvent('download')
        await page.getByRole('button', { name: 'Excel' }).click()
        const { rows } = await sheetsOf(await (await saved).path())
        expect(rows[0]).toEqual(['Plaats', 'Lengtegraad', 'Breedtegraad', 'Duur', 'Reeks', 'Adres'])
      },
      AMSTERDAM,
    ))

  it('makes a workbook of all events: titles, numbers as numbers, local times, and a sheet that says what they are', () =>
    look(
      WINTER,
      async (page) => {
        await page.locator('aside:not([aria-busy]) .facet').first().waitFor()
        await page.getByRole('button', { name: 'Download' }).click()
        const saved = page.waitForEvent('download')
        await page.getByRole('button', { name: 'Excel' }).click()
        const file = await (await saved).path()
        const { rows, facts } = await sheetsOf(file)
        const named = ['--value', 'Volume (m³)', '--category', 'Oorzaak']
        const args = [file, '--series', 'Back', ...named, '--dry-run', '--persist-to', at('back')]
        const events = within(winter(2025))
        const [from, to] = [events.at(0), events.at(-1)].map((event) => new Date(event?.start ?? 0).toISOString())
        expect((await runCommand('load', args)).stdout).toMatch(
          RegExp(`^Period: ${from} to ${to}\n.* 5.1 to 5.1, .* 52.1 to 52.1\n[^]*\nWould load ${events.length} events`),
        )
        const [heads, ...cells] = rows
        expect(heads).toEqual([
          ...['Begin (Europe/Amsterdam)', 'Volume (m³)', 'Oorzaak', 'Plaats', 'Diepte (m)', 'Eind (Europe/Amsterdam)'],
          ...['Lengtegraad', 'Breedtegraad', 'Adres'],
        ])
        const told = cells.map((row) => row.slice(0, 7))
        const local = (start: number) => new Date(start).toLocaleString('sv', { timeZone: 'Europe/Amsterdam' })
        const numbered = (text: string) => (Number.isNaN(Number(text)) ? text : Number(text))
        expect(told).toEqual(
          within(winter(2025)).map(({ value, category, attributes, start }) => [
            ...[local(start), numbered(value), category || null, attributes.Gemeente ?? null],
            ...[attributes.diepte, local(start), 5.1],
          ]),
        )
        expect(facts).toEqual([
          [`${cells.length} gebeurtenissen`, null],
          ['Filters', 'Reeks: Riooloverstorten'],
          ['Filters', expect.stringMatching(/^Begin: /)],
          ['Bron', expect.any(String)],
          ['Adres', expect.stringContaining('/api/v3/events/?event_series=')],
          ['Opgehaald', expect.stringMatching(/^\d{4}-/)],
          ['Tijdzone', 'Europe/Amsterdam'],
        ])
      },
      AMSTERDAM,
    ))

  it('a comparison also has the groups that only the earlier period has', () =>
    look(
      `${LIST}&timestamp_start__range=2025-10-01,2025-10-08&timezone=Europe/Amsterdam#group=attributes__Gemeente&compare=year`,
      async (page) => {
        await page.locator('.groups tbody tr').nth(3).waitFor()
        await page.waitForLoadState('networkidle')
        const rows = (await cells(page)).slice(1)
        const days = (year: number): [number, number] => [
          Date.UTC(year, 9, 1) - 2 * HOUR,
          Date.UTC(year, 9, 8) - 2 * HOUR + 1,
        ]
        const [now, then] = [within(days(2025)), within(days(2024))]
        const townsIn = (events: readonly Overflow[]) =>
          new Set(events.flatMap(({ attributes }) => attributes.Gemeente ?? []))
        const shown = new Set(rows.map(([name]) => name).filter((name) => name !== 'geen'))
        expect(shown).toEqual(new Set([...townsIn(now), ...townsIn(then)]))
      },
      AMSTERDAM,
    ))
})
