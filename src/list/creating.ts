import { sql } from 'drizzle-orm'
import type { Caller } from '../caller.ts'
import { unavailable } from '../errors.ts'
import type { Links } from '../http/links.ts'
import { mistake, noMistakes, refuseMistakes } from '../mistakes.ts'
import type { Database, Statement } from '../query/db/d1.ts'
import type { Resource } from '../resource.ts'
import { itemsOf, parseBody } from '../store/body.ts'
import { checkLength, lookUp, readItem } from '../store/fields.ts'
import { type Answered, answeredTo, postOf, remember } from '../store/idempotency.ts'
import { lastId, STAMP, takeIds } from '../store/statement.ts'
import type { Writable } from '../store/writable.ts'
import { merge } from './merging.ts'

/** A request to write, as far as all of them are alike. */
export interface Writing {
  readonly resource: Resource & { readonly writable: Writable }
  readonly caller: Caller
  readonly db: Database
  readonly links: Links
  /** Its own whole address. */
  readonly address: string
  /** Parameters of the address that say how an item is deleted. */
  readonly asked: ReadonlySet<string>
  /** In microseconds since 1970. */
  readonly now: number
}

/** Stores what is posted, all or nothing, and answers what was made of it; the same to a repeat under the same key. */
export const create = async (
  writing: Writing,
  idempotencyKey: string | null,
  bytes: ArrayBuffer,
): Promise<Answered> => {
  const { db, caller, address } = writing
  const post = idempotencyKey === null ? null : await postOf(caller.key?.id ?? '', idempotencyKey, address, bytes)
  const before = post && (await answeredTo(db, post))
  if (before) return before
  const examine = examinationOf(writing, bytes)
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { answer, statements, isRepeatable } = await examine()
    const all = [...(post ? remember(post, answer) : []), ...statements]
    if (all.length === 0 || (await db.write(all)) !== null) return answer
    // Refused: another request under the same key, or one that took or deleted what this one names, came before.
    const since = post && (await answeredTo(db, post))
    if (since) return since
    if (!isRepeatable) break
  }
  await examine()
  throw unavailable()
}

/** How often what has a name is posted, where something written meanwhile refuses it. */
const ATTEMPTS = 5

type Examined = { readonly answer: Answered; readonly statements: readonly Statement[]; readonly isRepeatable: boolean }

/** What answers a post and the statements that store it, after looking at the data. Throws a 400 that names every mistake. */
const examinationOf = ({ resource, caller, links, db, now }: Writing, bytes: ArrayBuffer) => {
  const { writable, path } = resource
  const { items, single } = itemsOf(parseBody(bytes), writable.ofFeatures === true)
  const read = noMistakes()
  const drafts = items.map((item) => {
    const draft = readItem(writable, item, false, read)
    const misfit = writable.faultOf(draft, caller.level)
    if (misfit !== null) mistake(read, item.at + misfit[0], misfit[1])
    return draft
  })
  const { queries, resolve } = lookUp(writable, drafts, caller.level)
  return async (): Promise<Examined> => {
    const wanted = [lastId(writable.table), sql`SELECT ${STAMP} AS stamp`, ...queries]
    const ids = takeIds(writable.table, items.length)
    // What is refused takes no ids.
    const answers = read.count > 0 ? await db.read(...wanted) : await db.write([ids], ...wanted)
    if (answers === null) throw unavailable()
    const [[last] = [], [before] = [], ...found] = answers
    const mistakes = { count: read.count, faults: Object.assign(Object.create(null), read.faults) }
    const resolved = resolve(found, items, mistakes)
    refuseMistakes(mistakes)
    // As it will be stored, unless another write comes first.
    const writer = { level: caller.level, now: Math.max(now, 1 + (before?.stamp ?? 0)) }
    const first = (last?.last ?? 0) - items.length + 1
    const records = resolved.map((draft, i) => writable.complete(draft, first + i, writer))
    for (const [i, record] of records.entries()) checkLength(record, items[i]?.at ?? '', mistakes)
    refuseMistakes(mistakes)
    const merged = await merge(db, resource, records, items, mistakes)
    refuseMistakes(mistakes)
    const { created, changed, isRepeatable } = merged
    const isWritten = created.length + changed.length > 0
    const statements = isWritten ? writable.add(created, writer, changed) : []
    const status = created.length > 0 ? 201 : 200
    const [added, altered] = [created.length, changed.length]
    const numbers = { created: added, changed: altered, unchanged: records.length - added - altered }
    if (!single) {
      const body = writable.several(merged.records, numbers)
      return { answer: { status, location: null, body }, statements, isRepeatable }
    }
    const [whole = {}] = merged.records
    const row = isWritten ? writable.rowOf(whole, writer) : (merged.rows.get(0) ?? {})
    const location = created.length > 0 ? links.to(`${path}${writable.keyOf(row)}/`) : null
    return { answer: { status, location, body: resource.serialize(row, links) }, statements, isRepeatable }
  }
}
