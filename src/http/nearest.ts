import { distance } from 'fastest-levenshtein'

/** The known name most like the given one, null where none is near: a third of its letters may differ, but not all, or a lookup be missing. */
export const nearest = (name: string, known: readonly string[]): string | null => {
  if (name.length > 100) return null
  const longer = known.find((candidate) => candidate.startsWith(`${name}__`))
  if (longer !== undefined) return longer
  const limit = Math.max(2, Math.floor(name.length / 3))
  const [best] = known
    .map((candidate) => ({ candidate, edits: distance(name.toLowerCase(), candidate) }))
    .filter(({ candidate, edits }) => edits <= limit && edits < Math.max(name.length, candidate.length))
    .sort((a, b) => a.edits - b.edits)
  return best?.candidate ?? null
}
