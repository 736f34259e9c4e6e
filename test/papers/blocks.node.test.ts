import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { blocksOf, nameOf, PAPERS } from './blocks.ts'
import { ELSEWHERE, NOT_RUN } from './others.ts'

const NAMES = PAPERS.flatMap(blocksOf).map(nameOf)

it('the lists of test/papers/others.ts have only blocks of papers, once each', () => {
  const listed = [...Object.keys(ELSEWHERE), ...Object.keys(NOT_RUN)]
  expect(listed.filter((name) => !NAMES.includes(name))).toEqual([])
  expect(new Set(listed).size).toBe(listed.length)
})

it.each(Object.entries(ELSEWHERE))('%s is in another test', (_, [file, text]) => {
  expect(existsSync(file), file).toBe(true)
  expect(readFileSync(file, 'utf8')).toContain(text)
})
