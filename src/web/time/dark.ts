import { signal } from '@preact/signals'

const scheme = matchMedia('(prefers-color-scheme: dark)')

/** True if the page has dark colours. */
export const isDark = signal(scheme.matches)

scheme.addEventListener('change', () => {
  isDark.value = scheme.matches
})
