import { type Mistakes, mistake } from '../errors.ts'
import type { BodyShape, Part } from './fields.ts'

/** A row that a value names, and that value. */
interface Found {
  readonly given?: unknown
  readonly id?: number
}

/**
 * Returns the queries for the rows that drafts name, and `resolve` for their answers. It replaces the values in drafts
 * by ids, and notes mistakes.
 */
export const lookUp = <P extends Part>(shape: BodyShape, parts: readonly P[], level: number) => {
  const named = Object.entries(shape.fields).flatMap(([path, { to, lookup }]) => {
    const values = parts.map(({ draft }) => draft[to]).filter((value) => value !== undefined)
    return lookup === undefined || values.length === 0 ? [] : [{ path, to, lookup, values }]
  })
  const resolve = (answers: readonly (readonly Found[])[], mistakes: Mistakes): P[] => {
    const resolved = named.map((field, i) => ({
      ...field,
      ids: new Map(answers[i]?.map(({ given, id }) => [JSON.stringify(given), id])),
    }))
    return parts.map((part) => {
      const draft: Record<string, unknown> = { ...part.draft }
      for (const { path, to, lookup, ids } of resolved) {
        const value = draft[to]
        if (value === undefined) continue
        const id = ids.get(JSON.stringify(value))
        if ((id === undefined) !== (lookup.fresh === true)) {
          mistake(mistakes, part.item.at + path, lookup.message(value))
          delete draft[to]
        } else if (lookup.fresh) ids.set(JSON.stringify(value), 0)
        else draft[to] = id
      }
      return { ...part, draft }
    })
  }
  return {
    queries: named.map(({ lookup, values }) => lookup.query(JSON.stringify([...new Set(values)]), level)),
    resolve,
  }
}
