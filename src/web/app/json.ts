import { h } from './dom.ts'

const ADDRESS = /^https?:\/\/[^\s\\]+$/
/** Longer answers are shown as text, because so many links would be of no use. */
const MOST = 200_000

/** Shows JSON. Its addresses are links. */
export const showJson = (body: unknown): Node => {
  const text = JSON.stringify(body, null, 2)
  if (text.length > MOST) return document.createTextNode(text)
  const fragment = document.createDocumentFragment()
  let from = 0
  for (const { 0: whole, 1: inner = '', index } of text.matchAll(/"((?:[^"\\]|\\.)*)"/g)) {
    if (!ADDRESS.test(inner)) continue
    fragment.append(text.slice(from, index + 1), h('a', { href: inner }, inner))
    from = index + whole.length - 1
  }
  fragment.append(text.slice(from))
  return fragment
}
