import { describe, expect, it } from 'vitest'
import { type Case, loading } from './loading.ts'

const { load } = loading('values')

const HEADER = 'date,lon,lat,value'

describe('a cell is read as programs and people write it', () => {
  it.each<Case>([
    [
      'minus.csv',
      `${HEADER},t\n2020-01-01,\u22125.1,52.1,\u22125.5,\u22125\n`,
      ['--attributes', 't'],
      ['2020-01-01T00:00 @ -5.1 52.1 0 "-5.5" {"t":-5}'],
    ],
    [
      'millions.csv',
      `${HEADER}\n2020-01-01,5,52,"12,345"\n2020-01-01,5,52,"1,234,567"\n`,
      [],
      ['2020-01-01T00:00 @ 5 52 0 "12,345"', '2020-01-01T00:00 @ 5 52 0 "1,234,567"'],
      '; for numbers such as 1,234,567 use --thousands ,',
    ],
    [
      'spaces.csv',
      `${HEADER}\n2020-01-01,5,52,1 234 567\n`,
      [],
      ['2020-01-01T00:00 @ 5 52 0 "1 234 567"'],
      '; for numbers such as 1 234 567 use --thousands " "',
    ],
    [
      'either.csv',
      `${HEADER}\n2020-01-01,5,52,"1,234"\n`,
      [],
      ['2020-01-01T00:00 @ 5 52 0 "1,234"'],
      '; for numbers such as 1,234 use --thousands , or --decimal ,',
    ],
    [
      'statistics.csv',
      'P;n\n2024MM01;3\n2024KW01;3\n2024JJ00;3\n',
      ['--start', 'P', '--value', 'n', '--place', 'none'],
      [
        '2024-01-01T00:00 to 2024-01-31T23:59:59.999Z "3"',
        '2024-01-01T00:00 to 2024-03-31T23:59:59.999Z "3"',
        '2024-01-01T00:00 to 2024-12-31T23:59:59.999Z "3"',
      ],
    ],
  ])('%s', async (name, content, args, events, report = '') => {
    const found = await load(name, content, args)
    expect(found.events).toEqual(events)
    expect(found.report).toContain(report)
  })
})
