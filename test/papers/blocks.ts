import { readdirSync, readFileSync } from 'node:fs'
import { ROOT } from '../../seed/local/wrangler.ts'

/** A block of commands in a paper, and the answer that is shown directly below it. */
export interface Block {
  readonly paper: string
  readonly line: number
  readonly code: string
  /** Null: the paper shows no answer. */
  readonly shown: { readonly language: string; readonly text: string } | null
}

/** The papers with commands. The first two are for newcomers, who do not expect data of the others. */
export const PAPERS = [
  'README.md',
  'docs/start.md',
  ...readdirSync(`${ROOT}/docs`).flatMap((file) => (/^(?!start).*\.md$/.test(file) ? [`docs/${file}`] : [])),
  'seed/README.md',
  'CONTRIBUTING.md',
]

/** The languages of answers. */
const ANSWERS = ['json', 'csv', 'text']
const FENCED = /^( *)```(\w*)\n([\s\S]*?)\n\1```\n/gm

/** Returns the blocks of commands in a paper, in their order. */
export const blocksOf = (paper: string): Block[] => {
  const text = readFileSync(`${ROOT}/${paper}`, 'utf8')
  const fenced = Array.from(
    text.matchAll(FENCED),
    ({ index, 0: whole, 1: indent = '', 2: language = '', 3: code = '' }) => ({
      index,
      end: index + whole.length,
      language,
      code: code.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  )
  return fenced.flatMap(({ index, end, language, code }, i) => {
    if (language !== 'sh') return []
    const next = fenced[i + 1]
    const isAnswer = next !== undefined && ANSWERS.includes(next.language) && text.slice(end, next.index).trim() === ''
    const shown = isAnswer ? { language: next.language, text: next.code } : null
    return [{ paper, line: text.slice(0, index).split('\n').length, code, shown }]
  })
}

/** Returns the first line of a block, which names it in the lists of test/papers/others.ts. */
export const nameOf = ({ code }: Block): string => code.split('\n')[0] ?? ''
