import { signal } from '@preact/signals'

const scheme = matchMedia('(prefers-color-scheme: dark)')

/** True if the page has dark colours. */
export const isDark = signal(scheme.matches)

const show = (isPrinting: boolean): void => {
  // styles/tokens.css
  document.documentElement.classList.toggle('printing', isPrinting)
  isDark.value = scheme.matches && !isPrinting
}

scheme.addEventListener('change', () => show(false))
// Paper is light. This comes before the map and the graph prepare for paper.
addEventListener('beforeprint', () => show(true))
addEventListener('afterprint', () => show(false))
