import { describe, expect, it } from 'vitest'
import { replaceSection } from './report.ts'

describe('a section of a document', () => {
  const document = 'Before.\n<!-- begin even -->\nold\n<!-- end even -->\nAfter.\n'

  it('is replaced, and the text around it stays', () => {
    const replaced = replaceSection(document, 'even', '| new |')
    expect(replaced).toBe('Before.\n<!-- begin even -->\n\n| new |\n\n<!-- end even -->\nAfter.\n')
    expect(replaceSection(replaced, 'even', '| new |')).toBe(replaced)
  })

  it.each(['', '<!-- begin even -->', '<!-- end even --> <!-- begin even -->'])('%j has no such section', (text) => {
    expect(() => replaceSection(text, 'even', '')).toThrow('write <!-- begin even --> and <!-- end even -->')
  })
})
