import { useEffect, useRef } from 'preact/hooks'
import { changed, givenIn, type PageAddress } from '../state/address.ts'
import { go } from '../state/store.ts'
import { texts } from '../state/text.ts'

/** The box for words. */
export const Search = ({ place }: { readonly place: PageAddress }) => {
  const input = useRef<HTMLInputElement>(null)
  const t = texts().list.search
  const given = givenIn(place, 'q') ?? ''
  useEffect(() => {
    if (input.current !== null) input.current.value = given
  }, [given])
  const submit = (event: Event) => {
    event.preventDefault()
    const words = input.current?.value.trim() ?? ''
    go(changed(place, { q: words === '' ? null : words }))
  }
  return (
    <search>
      <form class="search" onSubmit={submit}>
        <input ref={input} type="search" name="q" aria-label={t.label} placeholder={t.example} title="q" />
      </form>
    </search>
  )
}
