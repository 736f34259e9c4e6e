import type { Position } from './order.ts'

/**
 * What `next` and `previous` carry beside `page`, so that walking costs a page at any depth: where the page before ended,
 * and what was known then. It is a hint: one that does not fit the request is not used, and what it says of counts only
 * holds at the revision that it names.
 */
export interface Hint {
  readonly backward: boolean
  readonly from: Position
  readonly revision: number
  readonly count: number
  /** How many rows had to be looked at for one that matches; 0: walking in the order is not the way. */
  readonly gap: number
}

/** The hint as the value of a parameter, for this page of this request only: `a`fter or `b`efore, position, revision, count, gap, check. */
export const formatHint = (hint: Hint, request: string, page: number): string => {
  const { backward, from, revision, count, gap } = hint
  return [backward ? 'b' : 'a', from.value ?? '', from.id, revision, count, gap, check(request, page)].join('_')
}

/** The hint of a value, null where it is none or does not fit the page of the request. */
export const parseHint = (value: string, request: string, page: number): Hint | null => {
  const match = /^([ab])_(-?\d{1,16})?_(\d{1,16})_(\d{1,16})_(\d{1,16})_(\d{1,9})_([0-9a-z]+)$/.exec(value)
  if (match === null || match[7] !== check(request, page)) return null
  const [, direction, at, id, revision, count, gap] = match
  return {
    backward: direction === 'b',
    from: { value: at === undefined ? null : Number(at), id: Number(id) },
    revision: Number(revision),
    count: Number(count),
    gap: Number(gap),
  }
}

/** 32 bits of FNV-1a: a hint of another request or page is to be noticed, not to be made impossible. */
const check = (request: string, page: number): string => {
  const text = `${page} ${request}`
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash >>> 0).toString(36)
}
