import { faultMessage, fieldLabel } from '../list/form/labels.ts'
import { namesInForm } from '../list/form.tsx'
import { changed, givenIn, hrefOf, type PageAddress, renamed } from '../state/address.ts'
import { type About, fieldNamed } from '../state/context.ts'
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

/** Tells the messages that belong to no field of the form. */
const Unplaced = ({ about }: { readonly about: About }) => {
  const known = namesInForm(about)
  const rest = Object.entries(faults.value).filter(([name]) => !known.has(name) && !name.startsWith('attributes__'))
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

/** Tells the faults of an address in the words of the form, each with a link that corrects it. */
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
            <WayOut place={place} name={name} messages={messages} />
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Returns the form's message about a faulty value. Undefined if the form has none. */
const wordsOf = (about: About, name: string): string | undefined => {
  const found = fieldNamed(about, name)
  return found === null ? undefined : faultMessage(found.field.kind)
}

interface WayOutProps {
  readonly place: PageAddress
  readonly name: string
  readonly messages: readonly Message[]
}

/** Links to the address with the suggested name, or without the faulty parameter. */
const WayOut = ({ place, name, messages }: WayOutProps) => {
  const [meant = null] = messages.flatMap(({ sentences }) =>
    sentences.flatMap(([code, name]) => (code === 'meant' ? [String(name)] : [])),
  )
  if (!place.parameters.some((each) => each.name === name)) return null
  const text = meant === null ? texts().app.leaveOut : texts().app.use(fieldLabel(meant))
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
