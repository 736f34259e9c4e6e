import { describe, expect, it } from 'vitest'
import { type Case, loading } from './loading.ts'

const { load } = loading('values')

const HEADER = 'date,lon,lat,value'

describe('a cell is read as programs and people write it', () => {
  it.each<Case>([
    [
      'minus.csv',
      `${HEADER},t\n2020-01-01,\u22125.1,52.1,\u22125.5,\u22125\n`,
      '--attributes t',
      ['2020-01-01 @ -5.1 52.1 "-5.5" {"t":-5}'],
    ],
    [
      'millions.csv',
      `${HEADER}\n2020-01-01,5,52,"12,345"\n2020-01-01,5,52,"1,234,567"\n`,
      '',
      ['2020-01-01 @ 5 52 "12,345"', '2020-01-01 @ 5 52 "1,234,567"'],
      '; for numbers such as 1,234,567 use --thousands ,',
    ],
    [
      'spaces.csv',
      `${HEADER}\n2020-01-01,5,52,1 234 567\n`,
      '',
      ['2020-01-01 @ 5 52 "1 234 567"'],
      '; for numbers such as 1 234 567 use --thousands " "',
    ],
    [
      'either.csv',
      `${HEADER}\n2020-01-01,5,52,"1,234"\n`,
      '',
      ['2020-01-01 @ 5 52 "1,234"'],
      '; for numbers such as 1,234 use --thousands , or --decimal ,',
    ],
    [
      'marks.csv',
      `${HEADER},t\n2020-01-01,5,52,NA,-\n2020-01-02,5,52,3,3\n2020-01-03,NA,NaN, - ,4\n`,
      '--attributes t --null NA,NaN,-',
      ['2020-01-01 @ 5 52', '2020-01-02 @ 5 52 "3" {"t":3}', '2020-01-03 {"t":4}'],
      'Value: 1 number\nAttribute t: 2 numbers',
    ],
    [
      'marks-proposed.csv',
      `${HEADER},t\n2020-01-01,5,52,NA,x\n2020-01-02,5,52,3,3\n2020-01-02,5,52,\\N,n/a\n`,
      '--attributes t',
      ['2020-01-01 @ 5 52 "NA" {"t":"x"}', '2020-01-02 @ 5 52 "3" {"t":3}', '2020-01-02 @ 5 52 "\\\\N" {"t":"n/a"}'],
      `Value: 1 number, 2 texts ("NA", "\\\\N"); for missing values use --null 'NA,\\N'\nAttribute t: 1 number, 2 texts ("x", "n/a"); for missing values use --null n/a`,
    ],
    [
      'marks.geojsonl',
      '{"type":"Feature","geometry":null,"properties":{"time":"2020-01-01","value":"NA","t":-9999,"u":[1],"category":"-"}}',
      '--attributes * --null=-9999,NA',
      ['2020-01-01 -= {"t":null,"u":[1]}'],
    ],
    ['west.csv', 'date,value\n2020-01-01,a\n', '--x -122.3 --y -.5 --z -1e1', ['2020-01-01 @ -122.3 -0.5 -10 "a"']],
    [
      'unread.csv',
      `${HEADER},mag,"Volume (m³)"\n2020-01-01,5,52,a,3,4\n`,
      '',
      ['2020-01-01 @ 5 52 "a"'],
      "no such field: mag, Volume (m³). To load them, add --attributes 'mag,Volume (m³)'",
    ],
    [
      'statistics.csv',
      'P;n\n2024MM01;3\n2024KW01;3\n2024JJ00;3\n',
      '--start P --value n --place none',
      [
        '2024-01-01 to 2024-01-31T23:59:59.999Z "3"',
        '2024-01-01 to 2024-03-31T23:59:59.999Z "3"',
        '2024-01-01 to 2024-12-31T23:59:59.999Z "3"',
      ],
    ],
  ])('%s', async (name, content, args, events, report = '') => {
    const found = await load(name, content, args)
    expect(found.events).toEqual(events)
    expect(found.report).toContain(report)
  })

  it.each([['marks.csv', `${HEADER}\n2020-01-01,NA,NA,1\n`, '; for missing values use --null NA']])(
    '%s is refused',
    async (name, content, message) => {
      await expect(load(name, content)).rejects.toThrow(message)
    },
  )
})
