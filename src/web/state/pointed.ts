import { signal } from '@preact/signals'

/** The id of the event under the pointer, on the map or in the table. Both mark it. Null without one. */
export const pointed = signal<number | null>(null)
