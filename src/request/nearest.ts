import { distance } from 'fastest-levenshtein'

/**
 * Returns the known name that needs the fewest edits. Up to five letters may need one edit, more letters two. It is
 * null if no name is near.
 */
export const nearest = (name: string, known: readonly string[]): string | null => {
  if (name.length > 100) return null
  const most = name.length <= 5 ? 1 : 2
  const [best] = known
    .map((candidate) => ({ candidate, edits: editsBetween(name.toLowerCase(), candidate) }))
    .filter(({ candidate, edits }) => edits <= most && edits < Math.max(name.length, candidate.length))
    .sort((a, b) => a.edits - b.edits)
  return best?.candidate ?? null
}

/** Counts the insertions, deletions and replacements between two names. Two swapped neighbours are one edit. */
const editsBetween = (a: string, b: string): number => {
  const edits = distance(a, b)
  if (edits !== 2 || a.length !== b.length) return edits
  const first = [...a].findIndex((letter, i) => letter !== b[i])
  return a[first] === b[first + 1] && a[first + 1] === b[first] ? 1 : 2
}
