import { signal } from '@preact/signals'

const scheme = matchMedia('(prefers-color-scheme: dark)')

/** True if the map has dark colours. */
export const isDark = signal(scheme.matches)

scheme.addEventListener('change', ({ matches }) => {
  isDark.value = matches
})
// Paper is light. This comes before the map prepares for paper.
addEventListener('beforeprint', () => {
  isDark.value = false
})
addEventListener('afterprint', () => {
  isDark.value = scheme.matches
})
