import { describe, expect, it } from 'vitest'
import { askedDuration, shownDuration } from '../../src/web/state/read/durations.ts'

const NAMES = ['d', 'h', 'min', 's', 'ms']
const DUTCH = ['d', 'u', 'min', 's', 'ms']

describe('a length of time as people write it becomes a value of the service', () => {
  it.each([
    ['1,5 uur', 'PT1H30M', '1 h 30 min'],
    ['1.5 hours', 'PT1H30M', '1 h 30 min'],
    ['90 min', 'PT1H30M', '1 h 30 min'],
    ['90 minuten', 'PT1H30M', '1 h 30 min'],
    ['1h30m', 'PT1H30M', '1 h 30 min'],
    ['1u30', 'PT1H30M', '1 h 30 min'],
    ['1:30', 'PT1H30M', '1 h 30 min'],
    ['1 uur en 30 minuten', 'PT1H30M', '1 h 30 min'],
    ['anderhalf uur', 'PT1H30M', '1 h 30 min'],
    ['half an hour', 'PT30M', '30 min'],
    ['een uur', 'PT1H', '1 h'],
    ['2 dagen', 'P2D', '2 d'],
    ['2 days, 6 hours', 'P2DT6H', '2 d 6 h'],
    ['1 week', 'P7D', '7 d'],
    ['0.25 s', 'PT0.250S', '250 ms'],
    ['0 min', 'PT0S', '0 s'],
    ['-1 h', '-PT1H', '−1 h'],
    ['06:00:00', '06:00:00', '6 h'],
    ['2 00:00:00', '2 00:00:00', '2 d'],
    ['PT21H2M', 'PT21H2M', '21 h 2 min'],
    ['90', '90', '1 min 30 s'],
    ['P1Y', 'P1Y', 'P1Y'],
    ['long', 'long', 'long'],
    ['3 parsecs', '3 parsecs', '3 parsecs'],
  ])('%s', (text, value, shown) => {
    expect(askedDuration('gte', text)).toBe(value)
    expect(shownDuration('gte', value, NAMES)).toBe(shown)
  })

  it.each([
    ['range', '1,5 uur; 2 uur', 'PT1H30M,PT2H', '1 u 30 min; 2 u'],
    ['in', '1,5 uur, 2 uur', 'PT1H30M,PT2H', '1 u 30 min; 2 u'],
    ['range', '01:00:00,02:00:00', '01:00:00,02:00:00', '1 u; 2 u'],
  ])('%s %s', (lookup, text, value, shown) => {
    expect(askedDuration(lookup, text)).toBe(value)
    expect(shownDuration(lookup, value, DUTCH)).toBe(shown)
    expect(shownDuration(lookup, askedDuration(lookup, shown), DUTCH)).toBe(shown)
  })

  it.each(['gte', 'range'])('%s: a value with more digits than milliseconds stays unchanged', (lookup) => {
    expect(shownDuration(lookup, '0.0001,1', NAMES)).toBe('0.0001,1')
  })
})
