import { describe, expect, it } from 'vitest'
import { fileName } from '../../src/request/file.ts'

describe('the name of a downloaded file describes its filters', () => {
  it.each<[[string, string][], string]>([
    [[], 'events.csv'],
    [[['category', 'hurricane']], 'events_category-hurricane.csv'],
    [
      [
        ['timestamp_start__gte', '2018-02-05T00:00:00+01:00'],
        ['page', '2'],
      ],
      'events_timestamp_start-gte-2018-02-05T00-00-00-01-00.csv',
    ],
    [[['category__icontains', 'Überschwemmung é/漢字']], 'events_category-icontains-Uberschwemmung-e.csv'],
    [[['object', 'airport$986']], 'events_object-airport-986.csv'],
    [[['category__exact', '']], 'events_category-exact.csv'],
    [[['category', '"\r\nSet-Cookie: a=b"; ../../etc']], 'events_category-Set-Cookie-a-b-..-..-etc.csv'],
    [
      [['geom_within', 'POLYGON ((3 50, 8 50, 8 54, 3 54, 3 50))']],
      'events_geom_within-POLYGON-3-50-8-50-8-54-3-54-3-50.csv',
    ],
    [[['4711', '']], 'events_4711.csv'],
    [
      [
        ['category__in', 'hurricane,earthquake,Climb,Approach'],
        ['timestamp_start__gte', '2017-08-01'],
        ['page', '2'],
      ],
      'events_category-in-hurricane-earthquake-Climb-Approach.csv',
    ],
    [[['category', 'x'.repeat(60)]], 'events_category.csv'],
    [[['geom_within', 'x'.repeat(5_000_000)]], 'events_geom_within.csv'],
  ])('%j', (asked, name) => {
    expect(fileName('events', asked, 'csv')).toBe(name)
  })

  it('the name is short and has plain letters only', () => {
    const asked = Array.from({ length: 50 }, (_, i): [string, string] => [
      `category__${i}`,
      '=\0'.repeat(i) + 'x'.repeat(i),
    ])
    const name = fileName('events', asked, 'geojson')
    expect(name).toMatch(/^events_[A-Za-z0-9._-]+\.geojson$/)
    expect(name.length).toBeLessThanOrEqual(60)
  })
})
