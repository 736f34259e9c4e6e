import { LoadError } from '../../seed/load/error.ts'

/**
 * Replaces the text between `<!-- begin NAME -->` and `<!-- end NAME -->` in a Markdown document. Throws LoadError if
 * these marks are missing.
 */
export const replaceSection = (document: string, name: string, text: string): string => {
  const [begin, end] = [`<!-- begin ${name} -->`, `<!-- end ${name} -->`]
  const [from, to] = [document.indexOf(begin), document.indexOf(end)]
  if (from < 0 || to < from) throw new LoadError(`write ${begin} and ${end} where the table shall stand`)
  return `${document.slice(0, from + begin.length)}\n\n${text}\n\n${document.slice(to)}`
}
