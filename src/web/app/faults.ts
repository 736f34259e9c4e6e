import { kindOf } from '../list/kinds.ts'
import { hrefOf, type PageAddress, renamed } from '../state/address.ts'
import { type About, fieldsOf, labelOf, parameterName } from '../state/context.ts'
import { h } from './dom.ts'

/** The messages about faulty parameters, by parameter. */
export type FaultsByField = Readonly<Record<string, readonly string[]>>

/** Shows the faults of an address in the words of the form, each with a link that corrects it. */
export const tellFaults = (place: PageAddress, faults: FaultsByField, about: About): Node[] => {
  const entries = Object.entries(faults)
  const them = entries.length === 1 ? 'A part of the address is' : `${entries.length} parts of the address are`
  return [
    h('p', {}, h('b', {}, `${them} not valid.`), ' Correct the values, then press Apply.'),
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

/** Returns the form's message about a faulty value. Undefined if the form has none. */
const wordsOf = (about: About, name: string): string | undefined => {
  const field = fieldsOf(about).find((each) =>
    ['', ...each.lookups].some((lookup) => parameterName(each, lookup) === name),
  )
  return field && kindOf(field.kind).fault
}

/** Links to the address with the suggested name, or without the faulty parameter. */
const wayOut = (place: PageAddress, name: string, messages: readonly string[]): Node | null => {
  const [, meant] =
    messages.map((message) => /Did you mean (\w+)\?/.exec(message)).find((match) => match !== null) ?? []
  if (!place.parameters.some((each) => each.name === name)) return null
  if (meant === undefined) return h('a', { href: hrefOf(renamed(place, name, null)) }, 'Leave it out')
  return h('a', { href: hrefOf(renamed(place, name, meant)) }, `Use ${labelOf(meant)}`)
}
