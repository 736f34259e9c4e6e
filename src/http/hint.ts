import type { Engine } from '../engine/engine.ts'
import type { Hint } from '../question/question.ts'
import { POSTED, type Seal } from './query.ts'

/** Writes a hint of the engine as the value of a parameter. It is valid for this page of this request only. */
export const formatHint = async (text: string, request: string, page: number, seal: Seal): Promise<string> => {
  const checked = `${text}_${check(request, page)}`
  return `${checked}_${await seal(`${checked} ${request}`)}`
}

const SENT = new RegExp(`^${POSTED}?((.+?)_([0-9a-z]+))(?:_([0-9a-f]{16}))?$`)

/** Reads a hint that a client sent. Returns null if the value is no hint, or belongs to another request or page. */
export const parseHint = async (
  engine: Engine,
  value: string,
  request: string,
  page: number,
  seal: Seal,
): Promise<Hint | null> => {
  const [, checked = '', text = '', code, sealed] = SENT.exec(value) ?? []
  if (code !== check(request, page) || !engine.isHint(text)) return null
  return { text, isOwn: sealed === (await seal(`${checked} ${request}`)) }
}

/**
 * Returns a 32-bit FNV-1a hash. It detects a hint of another request by mistake, but it is no protection against forgery.
 */
const check = (request: string, page: number): string => {
  const text = `${page} ${request}`
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash >>> 0).toString(36)
}
