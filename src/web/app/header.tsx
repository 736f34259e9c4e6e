import { useRef, useState } from 'preact/hooks'
import { PRODUCT } from '../../base/product.ts'
import { CopyButton } from '../list/cells.tsx'
import { fragmentOf, here, hrefOf, view } from '../state/address.ts'
import { chooseZone, clock, zone, zoneName } from '../state/format.ts'
import { askAs, keepKey, keyInUse, messageOf } from '../state/service.ts'
import { announce, go, prefix, shown } from '../state/store.ts'
import { chooseLanguage, language, textNamed, texts } from '../state/text.ts'

/** The top of the page: where it is, and its settings. */
export const Header = () => {
  const { app } = texts()
  const isUtc = clock.value.name === 'UTC'
  const other = language.value === 'en' ? 'nl' : 'en'
  const choose = (chosen: 'utc' | 'local') => {
    const place = chooseZone(chosen, shown.value.place)
    if (hrefOf(place) !== hrefOf(shown.value.place)) go(place)
  }
  return (
    <header class="row top">
      <Crumbs />
      <div class="row actions">
        <CopyButton label={app.share} text={linkOf} />
        <button
          type="button"
          title={isUtc ? app.zone.chooseLocal : app.zone.chooseUtc}
          onClick={() => choose(isUtc ? 'local' : 'utc')}
        >
          {zoneName(app.zone)}
        </button>
        {/* Its label is in the other language. */}
        <button
          type="button"
          lang={other}
          aria-label={other === 'nl' ? 'NL: Nederlands' : 'EN: English'}
          onClick={() => chooseLanguage(other)}
        >
          {other.toUpperCase()}
        </button>
        <Key />
      </div>
    </header>
  )
}

/** Returns the address of the view, with its time zone. */
const linkOf = (): string => {
  const parts = new Map(view.value).set('zone', zone.value)
  return `${location.origin}${hrefOf(shown.value.place)}${fragmentOf(parts)}`
}

/** The addresses above the page, by their names in the path. */
const Crumbs = () => {
  const parts = shown.value.place.path.slice(prefix.length).split('/').filter(Boolean)
  const end = parts[0] === 'ogc' ? '' : '/'
  const crumbs = parts.map((part, i) => [part, `${prefix}/${parts.slice(0, i + 1).join('/')}${end}`] as const)
  const shownCrumbs = crumbs.filter(([part], i) => !/^(api|v\d)$/.test(part) || i === parts.length - 1)
  const above = [[PRODUCT, `${prefix}/`] as const, ...shownCrumbs.map(([part, href]) => [nameOf(part), href] as const)]
  return (
    <nav class="row crumbs" aria-label={texts().app.crumbs}>
      {above.map(([name, href], i) =>
        i > 0 && i === above.length - 1 ? (
          <span key={href} aria-current="page">
            {name}
          </span>
        ) : (
          <a key={href} href={href}>
            {name}
          </a>
        ),
      )}
    </nav>
  )
}

/** Returns the name of a part of a path in words. A list has its title, and the shown series has its name. */
const nameOf = (part: string): string => {
  const { name } = Object(shown.value.body) as { readonly name?: string }
  const short = part.replace(/-[\da-f]{4}-[\da-f-]{22}$/, '')
  return textNamed<string>(texts().item.roots, part) ?? (short === part ? part : (name ?? short))
}

/** The button that tells if a key is in use, and the dialog to enter or forget one. */
const Key = () => {
  const dialog = useRef<HTMLDialogElement>(null)
  const [isUsed, setUsed] = useState(keyInUse() !== null)
  const t = texts().app.key
  const close = () => dialog.current?.close()
  const use = (key: string) => {
    keepKey(key)
    close()
    setUsed(true)
    announce(t.inUse)
    go(here(), 'again')
  }
  // Nothing that the page has read with the key may stay, on the screen or in memory.
  const forget = () => {
    keepKey(null)
    location.reload()
  }
  return (
    <>
      <button
        type="button"
        class={isUsed ? 'primary' : undefined}
        aria-haspopup="dialog"
        aria-label={isUsed ? t.inUse : t.enter}
        onClick={() => dialog.current?.showModal()}
      >
        {isUsed ? t.inUse : t.title}
      </button>
      <dialog ref={dialog} aria-labelledby="key-title">
        <KeyForm isUsed={isUsed} use={use} forget={forget} close={close} />
      </dialog>
    </>
  )
}

interface KeyFormProps {
  readonly isUsed: boolean
  readonly use: (key: string) => void
  readonly forget: () => void
  readonly close: () => void
}

const KeyForm = ({ isUsed, use, forget, close }: KeyFormProps) => {
  const input = useRef<HTMLInputElement>(null)
  const [fault, setFault] = useState('')
  const t = texts().app.key
  const submit = async (event: Event) => {
    event.preventDefault()
    if (input.current === null) return
    const key = input.current.value.trim()
    const answer = await askAs('application/json', { path: `${prefix}/`, parameters: [] }, undefined, key)
    const isKnown = answer.status === 200
    const message = answer.status === 401 ? t.unknown : messageOf(answer)
    setFault(isKnown ? '' : message)
    if (!isKnown) return input.current.focus()
    input.current.value = ''
    use(key)
  }
  return (
    <form method="dialog" onSubmit={submit}>
      <h2 id="key-title">{t.title}</h2>
      <p>{t.about}</p>
      <label for="key">{t.label}</label>
      <input id="key" ref={input} type="password" autocomplete="off" required aria-describedby="key-fault" />
      <p class="fault" id="key-fault" role="alert">
        {fault}
      </p>
      <div class="row actions">
        <button type="submit" class="primary">
          {t.use}
        </button>
        <button type="button" hidden={!isUsed} onClick={forget}>
          {t.forget}
        </button>
        <button type="button" onClick={close}>
          {t.cancel}
        </button>
      </div>
    </form>
  )
}
