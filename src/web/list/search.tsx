import { changed, givenIn, type PageAddress } from '../state/address.ts'
import { go } from '../state/store.ts'
import { texts } from '../state/text.ts'

/** The box for words. */
export const Search = ({ place }: { readonly place: PageAddress }) => {
  const t = texts().list.search
  const given = givenIn(place, 'q') ?? ''
  const submit = (event: Event) => {
    event.preventDefault()
    const words = String(new FormData(event.currentTarget as HTMLFormElement).get('q')).trim()
    go(changed(place, { q: words === '' ? null : words }))
  }
  return (
    <search>
      <form class="search" onSubmit={submit}>
        <input
          key={given}
          type="search"
          name="q"
          aria-label={t.label}
          placeholder={t.example}
          title="q"
          defaultValue={given}
        />
      </form>
    </search>
  )
}
