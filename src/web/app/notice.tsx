import { filterOf, firstFaulty } from '../list/filter.ts'
import { changed, givenIn, hrefOf, type PageAddress, parameter, renamed } from '../state/address.ts'
import type { About } from '../state/fields.ts'
import { faultMessage, labelNamed } from '../state/fields.ts'
import { faultsOf, type Message, messageOf, type ServiceAnswer, waitOf } from '../state/service.ts'
import { failure, faults, go, isBeyond, prefix, type Shown, shown } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { faultText } from '../state/texts/faults.ts'

/** Tells what went wrong, with a way out. */
export const Notice = () => {
  const failed = failure.value
  const now = shown.value
  if (failed !== null) return <Failed {...failed} />
  if (isBeyond(now)) return <Beyond place={now.place} />
  if (faultsOf(now.answer) !== null) return <Faults {...now} />
  return now.answer.status === 200 ? <Unplaced about={now.context.about} /> : <Lost {...now} />
}

const Failed = ({ answer, retry }: { readonly answer: ServiceAnswer; readonly retry: PageAddress | null }) => (
  <div class="notice">
    {messageOf(answer)}{' '}
    {retry !== null && (
      <button type="button" onClick={() => go(retry)}>
        {retryText(answer)}
      </button>
    )}
  </div>
)

/** Names the button to ask again, with the time to wait before if the answer says it. */
const retryText = (answer: ServiceAnswer): string => {
  const wait = waitOf(answer)
  const { retry, after } = texts().app
  return wait === null ? retry : `${retry} (${after(wait)})`
}

/** Tells the messages that no editor shows. */
const Unplaced = ({ about }: { readonly about: About }) => {
  const inEditor = firstFaulty(about, faults.value)?.name
  const rest = Object.entries(faults.value.messages).filter(([name]) => name !== inEditor)
  return rest.length === 0 ? null : (
    <div class="notice">{rest.map(([name, messages]) => `${name}: ${faultText(messages)}`).join(' ')}</div>
  )
}

const Beyond = ({ place }: { readonly place: PageAddress }) => (
  <div class="notice">
    {texts().app.beyond(givenIn(place, 'page') ?? '')}{' '}
    <a href={hrefOf(changed(place, { page: null }))}>{texts().app.firstPage}</a>
  </div>
)

/** Tells the faults of an address in the words of the page, each with a link that corrects it. */
const Faults = ({ place, answer, context: { about } }: Shown) => {
  const found = Object.entries(faultsOf(answer) ?? {})
  return (
    <div class="notice">
      <p>
        <b>{texts().app.faulty(found.length)}</b> {texts().app.correct}
      </p>
      <ul>
        {found.map(([name, messages]) => (
          <li key={name}>
            <code>{name}</code> {wordsOf(about, name) ?? faultText(messages)}{' '}
            <WayOut place={place} about={about} name={name} messages={messages} />
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Returns the page's message about a faulty value. Undefined if it has none. */
const wordsOf = (about: About, name: string): string | undefined =>
  faultMessage(filterOf(about, parameter(name, ''))?.field.kind ?? '')

interface WayOutProps {
  readonly place: PageAddress
  readonly about: About
  readonly name: string
  readonly messages: readonly Message[]
}

/** Links to the address with the suggested name, or without the faulty parameter. */
const WayOut = ({ place, about, name, messages }: WayOutProps) => {
  const [meant = null] = messages.flatMap(({ sentences }) =>
    sentences.flatMap(([code, name]) => (code === 'meant' ? [String(name)] : [])),
  )
  if (!place.parameters.some((each) => each.name === name)) return null
  const text = meant === null ? texts().app.leaveOut : texts().app.use(labelNamed(about, meant))
  return <a href={hrefOf(renamed(place, name, meant))}>{text}</a>
}

/** Tells an error, with links to other pages. */
const Lost = ({ place, answer }: Shown) => {
  const t = texts().app
  const isMissing = answer.status === 404
  const list = isMissing ? listAbove(place) : null
  const { path } = place
  return (
    <div class="notice">
      <p>
        {messageOf(answer)} {isMissing && t.missing}
      </p>
      <p class="ways">
        {!isMissing && <a href={hrefOf(place)}>{retryText(answer)}</a>} {list !== null && <a href={list}>{t.toList}</a>}{' '}
        {list === null && <a href={`${prefix}/api/v3/events/`}>{texts().item.roots.events}</a>}{' '}
        {list === null && <a href={`${prefix}/api/v3/eventseries/`}>{texts().item.roots.eventseries}</a>}{' '}
        {path !== `${prefix}/` && <a href={`${prefix}/`}>{t.home}</a>}
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
