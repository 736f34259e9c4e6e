/** The name of the product, in every language. It stands alone, because the first view of the page needs no messages. */
export const PRODUCT = 'Event Query Interface'
