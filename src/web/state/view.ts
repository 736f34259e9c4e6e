import { signal } from '@preact/signals'

/** The parts of a view that the address keeps after `#`, such as `#map=4.5/52.1/5.3&zone=local`. So a link has them. */
type Part = 'map' | 'pane' | 'scale' | 'stack' | 'zone'

type View = ReadonlyMap<string, string>

// Tests without a browser have no address.
const read = (): View => new Map(new URLSearchParams(globalThis.location?.hash.slice(1)))

/** The view in the address. */
export const view = signal<View>(read())

/** Returns the fragment of a view with its `#`. Empty without parts. */
export const fragmentOf = (parts: View): string => {
  const text = new URLSearchParams([...parts]).toString().replaceAll('%2F', '/')
  return text === '' ? '' : `#${text}`
}

/** Changes a part of the view. Null removes it. The entry of the history stays the same. */
export const setView = (part: Part, value: string | null): void => {
  const changed = new Map(view.peek())
  if (value === null) changed.delete(part)
  else changed.set(part, value)
  view.value = changed
  history.replaceState(history.state, '', `${location.pathname}${location.search}${fragmentOf(changed)}`)
}

/** Returns the fragment for another query of the same list. Its map shows other events, so it moves to these. */
export const fragmentToKeep = (): string => fragmentOf(new Map([...view.peek()].filter(([part]) => part !== 'map')))

/** Reads the view again after the address has changed. */
export const readView = (): void => {
  view.value = read()
}
