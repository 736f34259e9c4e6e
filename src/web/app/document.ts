import { labelOf } from '../state/context.ts'
import { formatCount } from '../state/format.ts'
import { h } from './dom.ts'
import { isAddress } from './facts.ts'

/** Shows the members of an object as facts. Objects inside it become nested facts. */
export const showDocument = (body: object): HTMLElement => h('div', { class: 'panel' }, factsOf(body, 1))

const factsOf = (body: object, depth: number): HTMLElement =>
  h(
    'dl',
    { class: 'facts' },
    Object.entries(body).map(([name, value]) =>
      h(
        'div',
        {},
        h('dt', {}, labelOf(name)),
        h('dd', {}, name === 'links' ? showLinks(value, depth) : showValue(value, depth)),
      ),
    ),
  )

/** The page shows only a part of longer arrays and deeper objects. The JSON below has everything. */
const [MOST_ADDRESSES, MOST, DEEPEST, LONGEST] = [100, 10, 3, 500]

const showValue = (value: unknown, depth: number): Node | string => {
  if (value === null || value === undefined || value === '') return '–'
  if (Array.isArray(value)) return value.every(isPlain) ? showTexts(value, depth) : showAll(value, depth)
  if (typeof value === 'object') return depth < DEEPEST ? factsOf(value, depth + 1) : textOfJson(value)
  return isAddress(value) ? h('a', { href: value }, value) : String(value)
}

const textOfJson = (value: object): HTMLElement => {
  const text = JSON.stringify(value)
  return h('code', {}, text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null

/** Shows numbers and words in one line, and one address per line. */
const showTexts = (values: readonly unknown[], depth: number): Node | string =>
  values.some(isAddress)
    ? showAll(values, depth)
    : values.map((value) => (value === null ? '–' : String(value))).join(', ') || '–'

const showAll = (values: readonly unknown[], depth: number): HTMLElement => {
  const most = values.every(isPlain) ? MOST_ADDRESSES : MOST
  const left = values.length - most
  const items = values.slice(0, most).map((value) => h('li', {}, showValue(value, depth)))
  return h('ul', { class: 'values' }, items, left > 0 && h('li', {}, `${formatCount(left)} more in the JSON below`))
}

interface Link {
  readonly href: string
  readonly rel: string
  readonly title?: string
  readonly type?: string
  readonly templated?: boolean
}

/** Shows the links of a document of /ogc. A template is not an address, so it is text. */
const showLinks = (value: unknown, depth: number): Node | string => {
  if (!isLinks(value)) return showValue(value, depth)
  return h(
    'ul',
    { class: 'values' },
    value.map(({ href, rel, title = rel, type, templated }) =>
      h('li', {}, templated ? [title, ' ', h('code', {}, href)] : h('a', { href }, title), ' ', h('small', {}, type)),
    ),
  )
}

const isLinks = (value: unknown): value is readonly Link[] =>
  Array.isArray(value) && value.every((each) => typeof each === 'object' && each !== null && 'href' in each)
