import { useRef, useState } from 'preact/hooks'
import { chooseZone, zone } from '../state/format.ts'
import { ask, keepKey, keyInUse, messageOf } from '../state/service.ts'
import { announce, go, prefix, shown } from '../state/store.ts'
import { chooseLanguage, language, texts } from '../state/text.ts'

/** Returns the addresses above a path, and their names. */
const crumbsOf = (path: string): (readonly [name: string, href: string])[] => {
  const parts = path.slice(prefix.length).split('/').filter(Boolean)
  const end = parts[0] === 'ogc' ? '' : '/'
  return parts
    .map((part, i) => [part, `${prefix}/${parts.slice(0, i + 1).join('/')}${end}`] as const)
    .filter(([part]) => part !== 'api')
}

const Crumbs = () => {
  const all = [[texts().app.product, `${prefix}/`] as const, ...crumbsOf(shown.value.place.path)]
  return (
    <nav class="crumbs" aria-label={texts().app.crumbs}>
      {all.map(([name, href], i) => (
        <a key={href} href={href} aria-current={i === all.length - 1 ? 'page' : undefined}>
          {name}
        </a>
      ))}
    </nav>
  )
}

/** A switch between English and Dutch. Its label is in the other language. */
const LanguageSwitch = () => {
  const other = language.value === 'en' ? 'nl' : 'en'
  return (
    <button
      type="button"
      lang={other}
      aria-label={other === 'nl' ? 'NL: Nederlands' : 'EN: English'}
      onClick={() => chooseLanguage(other)}
    >
      {other.toUpperCase()}
    </button>
  )
}

const ZoneSwitch = () => {
  const { utc, local, chooseUtc, chooseLocal } = texts().app.zone
  const isUtc = zone.value === 'utc'
  return (
    <button type="button" title={isUtc ? chooseLocal : chooseUtc} onClick={() => chooseZone(isUtc ? 'local' : 'utc')}>
      {isUtc ? utc : local}
    </button>
  )
}

/** The top of the page: where it is, and its settings. */
export const Header = () => (
  <header class="top">
    <Crumbs />
    <div class="actions">
      <a class="button" href={`${prefix}/docs`}>
        {texts().app.reference}
      </a>
      <ZoneSwitch />
      <LanguageSwitch />
      <Key />
    </div>
  </header>
)

/** The button that tells if a key is in use, and the dialog to enter or forget one. */
export const Key = () => {
  const dialog = useRef<HTMLDialogElement>(null)
  const [isUsed, setUsed] = useState(keyInUse() !== null)
  const t = texts().app.key
  const use = (key: string | null) => {
    keepKey(key)
    dialog.current?.close()
    setUsed(key !== null)
    announce(key === null ? t.forgotten : t.used)
    go(shown.value.place, 'replace')
  }
  return (
    <div>
      <button
        type="button"
        class={isUsed ? 'key used' : 'key'}
        aria-haspopup="dialog"
        aria-label={isUsed ? t.inUse : t.enter}
        onClick={() => dialog.current?.showModal()}
      >
        {isUsed ? t.inUse : t.title}
      </button>
      <dialog ref={dialog} aria-labelledby="key-title">
        <KeyForm isUsed={isUsed} use={use} cancel={() => dialog.current?.close()} />
      </dialog>
    </div>
  )
}

interface KeyFormProps {
  readonly isUsed: boolean
  readonly use: (key: string | null) => void
  readonly cancel: () => void
}

const KeyForm = ({ isUsed, use, cancel }: KeyFormProps) => {
  const [fault, setFault] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const t = texts().app.key
  const submit = async (event: Event) => {
    event.preventDefault()
    const key = input.current?.value.trim() ?? ''
    const answer = await ask({ path: `${prefix}/`, parameters: [] }, undefined, key)
    setFault(answer.status === 200 ? '' : answer.status === 401 ? t.unknown : messageOf(answer))
    if (input.current !== null && answer.status === 200) input.current.value = ''
    if (answer.status === 200) use(key)
    else input.current?.focus()
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
      <div class="actions">
        <button type="submit" class="primary">
          {t.use}
        </button>
        <button type="button" hidden={!isUsed} onClick={() => use(null)}>
          {t.forget}
        </button>
        <button type="button" onClick={cancel}>
          {t.cancel}
        </button>
      </div>
    </form>
  )
}
