import { h } from './dom.ts'

const ADDRESS = /^https?:\/\/[^\s\\]+$/
/** Longer answers are shown as text without links: there would be too many to be of use. */
const MOST = 200_000

/** JSON as it is read by people: its addresses are links within the page. */
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
