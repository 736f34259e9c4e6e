import { signal } from '@preact/signals'

/** The parts of the page that load after the first rows. Null until they have loaded. */
export const later = signal<typeof import('./later.ts') | null>(null)

/** True after the other parts could not be loaded. */
export const isLateMissing = signal(false)

/** Loads the other parts of the page. After a failure, the next call tries again. */
export const loadLater = async (): Promise<void> => {
  later.value ??= await import('./later.ts').catch(() => null)
  isLateMissing.value = later.value === null
}
