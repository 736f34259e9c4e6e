import { filterOf, firstFaulty } from '../list/filter.ts'
import { changed, exchanged, givenIn, hrefOf, type PageAddress, parameter } from '../state/address.ts'
import { type About, labelNamed } from '../state/fields.ts'
import { faultsOf, type Message, messageOf, type ServiceAnswer, waitOf } from '../state/service.ts'
import { go, isBeyond, prefix, refusal, type Shown, shown } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { faultMessage } from '../state/texts/editor.ts'
import { faultText } from '../state/texts/faults.ts'

/** Tells what went wrong, with a way out. */
export const Notice = () => {
  const now = shown.value
  const { place, answer } = refusal.value
  const { app } = texts()
  if (answer !== null && faultsOf(answer) === null)
    return (
      <div class="notice">
        {messageOf(answer)}{' '}
        {mayPass(answer) && (
          <button type="button" onClick={() => go(place)}>
            {retryText(answer)}
          </button>
        )}
      </div>
    )
  if (isBeyond(now))
    return (
      <div class="notice">
        {app.beyond(givenIn(now.place, 'page') ?? '')} <a href={hrefOf(changed(now.place, {}))}>{app.firstPage}</a>
      </div>
    )
  if (faultsOf(now) !== null) return <Faults {...now} />
  return now.status === 200 ? <Unplaced about={now.about} /> : <Lost {...now} />
}

/** Tests if the same request may succeed later. */
const mayPass = ({ status }: ServiceAnswer): boolean => status < 400 || status >= 500 || [408, 429].includes(status)

/** Names the button to ask again, with the time to wait before if the answer says it. */
const retryText = (answer: ServiceAnswer): string => {
  const wait = waitOf(answer)
  const { retry, after } = texts().app
  return wait === null ? retry : `${retry} (${after(wait)})`
}

/** Tells the messages that no editor shows. */
const Unplaced = ({ about }: { readonly about: About }) => {
  const inEditor = firstFaulty(about, refusal.value)?.name
  const rest = Object.entries(refusal.value.messages).filter(([name]) => name !== inEditor)
  if (rest.length === 0) return null
  return <div class="notice">{rest.map(([name, messages]) => `${name}: ${faultText(messages)}`).join(' ')}</div>
}

/** Tells the faults of an address in the words of the page, each with a link that corrects it. */
const Faults = (now: Shown) => {
  const found = Object.entries(faultsOf(now) ?? {})
  const { place, about } = now
  // A kind of value may have a better message than the service.
  const wordsOf = (name: string) => faultMessage(filterOf(about, parameter(name, ''))?.field.kind ?? '')
  return (
    <div class="notice">
      <p>
        <b>{texts().app.faulty(found.length)}</b> {texts().app.correct}
      </p>
      <ul>
        {found.map(([name, messages]) => (
          <li key={name}>
            <code>{name}</code> {wordsOf(name) ?? faultText(messages)} {wayOut(place, about, name, messages)}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Links to the address with the suggested name, or without the faulty parameter. */
const wayOut = (place: PageAddress, about: About, name: string, messages: readonly Message[]) => {
  const meant = messages.flatMap(({ sentences }) => sentences).find(([code]) => code === 'meant')
  const given = place.parameters.find((each) => each.name === name)
  if (given === undefined) return null
  if (meant === undefined) return <a href={hrefOf(exchanged(place, [name], []))}>{texts().app.leaveOut}</a>
  const next = { ...given, name: String(meant[1]) }
  return <a href={hrefOf(exchanged(place, [name], [next]))}>{texts().app.use(labelNamed(about, next.name))}</a>
}

/** Tells an error, with links to other pages. */
const Lost = (now: Shown) => {
  const { place, status } = now
  const { app, item } = texts()
  const isMissing = status === 404
  const list = isMissing ? listAbove(place) : null
  const ways: readonly (readonly [href: string, text: string])[] = [
    ...(isMissing ? [] : [[hrefOf(place), retryText(now)] as const]),
    ...(list === null
      ? (['events', 'eventseries'] as const).map((name) => [`${prefix}/api/v3/${name}/`, item.roots[name]] as const)
      : [[list, app.toList] as const]),
    ...(place.path === `${prefix}/` ? [] : [[`${prefix}/`, app.home] as const]),
  ]
  return (
    <div class="notice">
      <p>{isMissing ? app.missing : messageOf(now)}</p>
      <p class="row">
        {ways.map(([href, text]) => (
          <a key={href} href={href}>
            {text}
          </a>
        ))}
      </p>
    </div>
  )
}

const ITEM =
  /^(\/api\/v[34]\/(?:events|eventseries|observationtypes|eventseries\/[^/]+\/events)\/|\/ogc\/collections\/(?:events|eventseries)\/items)\/?[^/]+\/?$/

/** Returns the path of the list of an item. Null for other places. */
const listAbove = ({ path }: PageAddress): string | null => {
  const [, list = null] = ITEM.exec(path.slice(prefix.length)) ?? []
  return list === null ? null : `${prefix}${list}`
}
