import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
/** All Markdown files of the project. */
const PAPERS = [
  ...readdirSync(root).filter((file) => file.endsWith('.md')),
  ...readdirSync(join(root, 'docs')).flatMap((file) => (file.endsWith('.md') ? [`docs/${file}`] : [])),
  'seed/README.md',
]

/** Returns the anchor that GitHub gives a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-')

describe.each(PAPERS)('%s', (paper) => {
  const text = textOf(paper)

  it('links only to files and headings that exist', () => {
    const links = Array.from(text.matchAll(/\]\(([^)]+)\)/g), ([, target = '']) => target)
    const within = links.filter((target) => !target.startsWith('https://'))
    const broken = within.filter((target) => {
      const [file = '', anchor] = target.split('#')
      const linked = file === '' ? paper : join(dirname(paper), file)
      if (!existsSync(join(root, linked))) return true
      const headings = Array.from(textOf(linked).matchAll(/^#+ (.*)$/gm), ([, heading = '']) => anchorOf(heading))
      return anchor !== undefined && !headings.includes(anchor)
    })
    expect(broken).toEqual([])
  })

  it('names only commands that exist', () => {
    const { scripts } = JSON.parse(textOf('package.json'))
    const named = Array.from(text.matchAll(/\bnpm (?:run ([\w-]+)|(start|test)\b)/g), ([, run, short]) => run ?? short)
    expect(named.filter((name) => name === undefined || !Object.hasOwn(scripts, name))).toEqual([])
  })

  it('names only files that exist', () => {
    const named = Array.from(text.matchAll(/`((?:src|schema|seed|test)\/[\w./-]*)`/g), ([, file = '']) => file)
    expect(named.filter((file) => !existsSync(join(root, file)))).toEqual([])
  })
})

it('the contents of docs/api.md have each chapter, in its order', () => {
  const text = textOf('docs/api.md')
  const [, contents = ''] = /\*\*Contents\*\*: ([\s\S]*?)\n\n/.exec(text) ?? []
  const chapters = Array.from(text.matchAll(/^## (.*)$/gm), ([, heading = '']) => `#${anchorOf(heading)}`)
  expect(Array.from(contents.matchAll(/\]\(([^)]+)\)/g), ([, target]) => target)).toEqual(chapters)
})

describe('DECISIONS.md', () => {
  const decisions = textOf('DECISIONS.md').split(/\n(?=### )/)
  const entries = decisions.slice(1).map((text) => [text.split('\n')[0] ?? '', text] as const)

  it('numbers its decisions without gaps', () => {
    const numbers = entries.map(([heading]) => Number(/^### (\d+)\. /.exec(heading)?.[1]))
    expect(numbers).toEqual(numbers.map((_, i) => i + 1))
  })

  it.each(entries)('%s', (_, text) => {
    const [decision = ''] = text.split(/\n(?=## )/)
    expect(decision.trim().split('\n').length).toBeLessThanOrEqual(14)
    const pins = Array.from(decision.matchAll(/`(test\/[\w./]+\.test\.ts)`(?:, “([^”]+)”)?/g))
    expect(pins).not.toEqual([])
    for (const [, file = '', title] of pins) {
      expect(existsSync(join(root, file)), file).toBe(true)
      if (title !== undefined) expect(textOf(file)).toContain(title)
    }
  })
})

it('the lock file contains no registry address', () => {
  expect(textOf('package-lock.json')).not.toContain('"resolved"')
})

/** If the lock file lacks an optional package, `npm ci` fails on every machine. */
it('the lock file contains the optional packages of all platforms', () => {
  const { packages } = JSON.parse(textOf('package-lock.json')) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>
  }
  const missing = Object.values(packages).flatMap(({ optionalDependencies = {} }) =>
    Object.keys(optionalDependencies).filter((name) => packages[`node_modules/${name}`] === undefined),
  )
  expect(missing).toEqual([])
})
