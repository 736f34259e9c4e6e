import { changed, givenIn, hrefOf, type Place } from './address.ts'
import { h } from './dom.ts'
import { type Answer, messageOf } from './service.ts'

const linkTo = (href: string, text: string) => h('a', { href }, text)

/** Whether an answer says that a list has no such page. Then its form can still ask. */
export const isBeyond = (place: Place, { status }: Answer): boolean => status === 404 && givenIn(place, 'page') !== null

/** The message for a page that a list does not have. */
export const tellBeyond = (place: Place): (Node | string)[] => [
  `This list has no page ${givenIn(place, 'page')}. `,
  linkTo(hrefOf(changed(place, { page: null })), 'Go to page 1'),
]

/** The message of an error at a place, and links that lead on. */
export const tellError = (place: Place, answer: Answer, prefix: string): Node[] => {
  const isMissing = answer.status === 404
  const more = isMissing ? ' There is nothing at this address, or only a key shows it.' : ''
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

/** The path of the list that has the item of a place. Other places give null. */
const listAbove = ({ path }: Place, prefix: string): string | null => {
  const [, list = null] = ITEM.exec(path.slice(prefix.length)) ?? []
  return list === null ? null : `${prefix}${list}`
}
