import { kindOf } from '../list/kinds.ts'
import { hrefOf, type Place, renamed } from './address.ts'
import { type About, fieldsOf, labelOf, parameterName } from './context.ts'
import { h } from './dom.ts'

/** What is wrong with parameters: messages by parameter. */
export type Faults = Readonly<Record<string, readonly string[]>>

/** What is wrong with the address of a place, in the words of the form, each with what can be done about it. */
export const tellFaults = (place: Place, faults: Faults, about: About): Node[] => {
  const entries = Object.entries(faults)
  const them = entries.length === 1 ? 'A part of the address is' : `${entries.length} parts of the address are`
  return [
    h('p', {}, h('b', {}, `${them} not understood, so nothing was asked for.`), ' Correct it, then apply.'),
    h(
      'ul',
      {},
      entries.map(([name, messages]) =>
        h(
          'li',
          {},
          h('code', {}, name),
          ' ',
          wordsOf(about, name) ?? messages.join(' '),
          ' ',
          wayOut(place, name, messages),
        ),
      ),
    ),
  ]
}

/** What the form says of a value that its field cannot read; undefined where it has no words of its own. */
const wordsOf = (about: About, name: string): string | undefined => {
  const field = fieldsOf(about).find((each) =>
    ['', ...each.lookups].some((lookup) => parameterName(each, lookup) === name),
  )
  return field && kindOf(field.kind).fault
}

/** Of a name that is misspelt the address with the right one, else the address without what is wrong. */
const wayOut = (place: Place, name: string, messages: readonly string[]): Node | null => {
  const [, meant] =
    messages.map((message) => /Did you mean (\w+)\?/.exec(message)).find((match) => match !== null) ?? []
  if (!place.parameters.some((each) => each.name === name)) return null
  if (meant === undefined) return h('a', { href: hrefOf(renamed(place, name, null)) }, 'Leave it out')
  return h('a', { href: hrefOf(renamed(place, name, meant)) }, `Use ${labelOf(meant)}`)
}
