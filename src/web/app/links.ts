import { givenIn, type PageAddress } from '../state/address.ts'
import { h } from './dom.ts'

/** Makes links to every address above a path. */
export const crumbsOf = (path: string, prefix: string): Node[] => {
  const parts = path.slice(prefix.length).split('/').filter(Boolean)
  const end = parts[0] === 'ogc' ? '' : '/'
  const links = parts.map((part, i) => [part, `${prefix}/${parts.slice(0, i + 1).join('/')}${end}`] as const)
  const known = links.filter(([part]) => part !== 'api')
  return [['Event query API', `${prefix}/`] as const, ...known].map(([part, href], i, all) =>
    h('a', { href, 'aria-current': i === all.length - 1 ? 'page' : null }, part),
  )
}

/** Tests if the service has a page at a place. An address with another format is a file. */
export const isPage = (place: PageAddress, prefix: string): boolean => {
  const format = givenIn(place, 'format') ?? givenIn(place, 'f') ?? 'html'
  return /^\/(api|ogc)(\/|$)/.test(place.path.slice(prefix.length)) && ['api', 'html'].includes(format)
}
