import { sql } from 'drizzle-orm'
import type { Caller } from '../caller.ts'
import { unavailable } from '../errors.ts'
import type { Links } from '../http/links.ts'
import { mistake, noMistakes, refuseMistakes } from '../mistakes.ts'
import type { Database } from '../query/db/d1.ts'
import type { Resource } from '../resource.ts'
import { itemsOf, parseBody } from '../store/body.ts'
import { checkLength, lookUp, readItem } from '../store/fields.ts'
import { type Answered, answeredTo, postOf, remember } from '../store/idempotency.ts'
import { lastId, STAMP, takeIds } from '../store/statement.ts'
import type { Writable } from '../store/writable.ts'

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
  const { answer, statements } = await examine()
  if ((await db.write([...(post ? remember(post, answer) : []), ...statements])) !== null) return answer
  // Refused: another request under the same key, or one that took or deleted what this one names, came before.
  const since = post && (await answeredTo(db, post))
  if (since) return since
  await examine()
  throw unavailable()
}

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
  return async () => {
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
    const row = single && records[0] ? writable.rowOf(records[0], writer) : null
    const answer: Answered = {
      location: row && links.to(`${path}${writable.keyOf(row)}/`),
      body: row ? resource.serialize(row, links) : writable.several(records),
    }
    return { answer, statements: writable.add(records, writer) }
  }
}
