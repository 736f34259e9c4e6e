import type { Texts } from './en.ts'

/** The Dutch texts of the page. */
export const nl: Texts = {
  product: 'Event query API',
  app: {},
  list: {},
  form: {},
  item: {},
  map: {},
  time: {},
}
