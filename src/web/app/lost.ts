import { changed, givenIn, hrefOf, type PageAddress } from '../state/address.ts'
import { messageOf, type ServiceAnswer } from '../state/service.ts'
import { h } from './dom.ts'

const linkTo = (href: string, text: string) => h('a', { href }, text)

/** Tests if an answer is the 404 of a page beyond the end of a list. The list's form still works then. */
export const isBeyond = (place: PageAddress, { status }: ServiceAnswer): boolean =>
  status === 404 && givenIn(place, 'page') !== null

/** Returns the message about a page that a list does not have. */
export const tellBeyond = (place: PageAddress): (Node | string)[] => [
  `This list has no page ${givenIn(place, 'page')}. `,
  linkTo(hrefOf(changed(place, { page: null })), 'Go to page 1'),
]

/** Returns the message of an error, with links to other pages. */
export const tellError = (place: PageAddress, answer: ServiceAnswer, prefix: string): Node[] => {
  const isMissing = answer.status === 404
  const more = isMissing ? ' Nothing is at this address, or you need a key to see it.' : ''
  const list = isMissing ? listAbove(place, prefix) : null
  const links = [
    !isMissing && linkTo(hrefOf(place), 'Try again'),
    list !== null && linkTo(list, 'To the list'),
    list === null && linkTo(`${prefix}/api/v3/events/`, 'Events'),
    list === null && linkTo(`${prefix}/api/v3/eventseries/`, 'Event series'),
    linkTo(`${prefix}/`, 'Home'),
  ].filter((link) => link !== false)
  return [
    h('p', {}, messageOf(answer), more),
    h(
      'p',
      { class: 'ways' },
      links.flatMap((link) => [link, ' ']),
    ),
  ]
}

const ITEM =
  /^(\/api\/v[34]\/(?:events|eventseries|observationtypes|eventseries\/[^/]+\/events)\/|\/ogc\/collections\/(?:events|eventseries)\/items)\/?[^/]+\/?$/

/** Returns the path of the list of an item. Null for other places. */
const listAbove = ({ path }: PageAddress, prefix: string): string | null => {
  const [, list = null] = ITEM.exec(path.slice(prefix.length)) ?? []
  return list === null ? null : `${prefix}${list}`
}
