/** The names and values of the parameters in a request for a list. */
export type QueryPairs = readonly (readonly [name: string, value: string])[]

const MAX_NAME = 60
/** A longer value never fits into a name, so it is skipped. */
const MAX_VALUE = 200

/**
 * Returns a file name with the list and the filters of the request, such as `events_category-hurricane.csv`. It has
 * only letters, digits, dots, hyphens and underscores, which every file system and an HTTP header accept. A value that
 * makes the name too long is left out, not cut.
 */
export const fileName = (list: string, parameters: QueryPairs, extension: string): string => {
  let file = list
  for (const [name, value] of parameters) {
    const field = plain(name)
    const forms = [[field, plain(value)].filter(Boolean).join('-'), field]
    const part = forms.find((form) => form !== '' && `${file}_${form}.${extension}`.length <= MAX_NAME)
    if (part !== undefined) file = `${file}_${part}`
  }
  return `${file}.${extension}`
}

/** Removes the accents of letters, and replaces all other characters by hyphens. None stands at an end. */
const plain = (text: string): string =>
  (text.length > MAX_VALUE ? '' : text)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/__/g, '-')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[-_.]+|[-_.]+$/g, '')
