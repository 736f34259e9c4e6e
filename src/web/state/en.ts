/** The English texts of the page, by the part that shows them. A function fills in numbers and names. */
export const en = {
  product: 'Event query API',
  app: {},
  list: {},
  form: {},
  item: {},
  map: {},
  time: {},
}

export type Texts = typeof en
