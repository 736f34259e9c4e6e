import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

interface Series {
  readonly name: string
  readonly color: string
  readonly access_modifier: string
}

const lines = gunzipSync(readFileSync(join(import.meta.dirname, '../../seed/seed.ndjson.gz')))
  .toString()
  .split('\n')
const series: Series[] = lines
  .filter((line) => line.startsWith('{"kind":"event_series"'))
  .map((line) => JSON.parse(line))

/** The kinds of colour vision, as matrices of linear RGB (Machado, Oliveira and Fernandes 2009, severity 1). */
const VISIONS: Readonly<Record<string, readonly (readonly number[])[]>> = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  'without red': [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  'without green': [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  'without blue': [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}
/** The matrices from linear RGB to Oklab, before and after the cube root (Ottosson 2020). */
const LMS = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
]
const LAB = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
]

const times = (matrix: readonly (readonly number[])[], vector: readonly number[]): number[] =>
  matrix.map((row) => row.reduce((sum, factor, i) => sum + factor * (vector[i] ?? 0), 0))

const linearOf = (color: string): number[] =>
  [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })

/** Returns the colour that a person with this vision sees, in Oklab. */
const seen = (color: string, vision: string): number[] => {
  const rgb = times(VISIONS[vision] ?? [], linearOf(color)).map((part) => Math.min(1, Math.max(0, part)))
  return times(LAB, times(LMS, rgb).map(Math.cbrt))
}

const contrast = (color: string, other: string): number => {
  const [low = 0, high = 0] = [color, other]
    .map((each) => times([[0.2126, 0.7152, 0.0722]], linearOf(each))[0] ?? 0)
    .sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

describe('the colours of the default series', () => {
  it.each(Object.keys(VISIONS))('are different for people with vision %s', (vision) => {
    const distances = series.flatMap((one, i) =>
      series.slice(0, i).map((other) => {
        const isPublic = [one, other].every(({ access_modifier }) => access_modifier === 'Public')
        return {
          isPublic,
          distance: Math.hypot(...seen(one.color, vision).map((x, j) => x - (seen(other.color, vision)[j] ?? 0))),
        }
      }),
    )
    const least = (chosen: typeof distances) => Math.min(...chosen.map(({ distance }) => distance))
    // A distance of 0.02 in Oklab is just noticeable.
    expect(least(distances)).toBeGreaterThan(0.05)
    expect(least(distances.filter(({ isPublic }) => isPublic))).toBeGreaterThan(0.075)
  })

  it.each(series)('$color of $name is visible on the light and the dark map', ({ color }) => {
    for (const map of ['#f3f4f2', '#14181a']) expect(contrast(color, map)).toBeGreaterThan(2)
  })
})
