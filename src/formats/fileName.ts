/** What was asked of a list: the names of parameters and their values. */
export type Asked = readonly (readonly [name: string, value: string])[]

const MAX_NAME = 60
/** Longer values are never shown, so they are not read either. */
const MAX_VALUE = 200

/**
 * Names a file by its list and the filters of the request, such as `events_category-hurricane.csv`. It has letters,
 * digits, dots and hyphens, which every system and a header takes. A value that makes the name too long is left out, not cut.
 */
export const fileName = (list: string, asked: Asked, extension: string): string => {
  let file = list
  for (const [name, value] of asked) {
    const field = plain(name)
    const forms = [[field, plain(value)].filter(Boolean).join('-'), field]
    const part = forms.find((form) => form !== '' && `${file}_${form}.${extension}`.length <= MAX_NAME)
    if (part !== undefined) file = `${file}_${part}`
  }
  return `${file}.${extension}`
}

/** Letters without their accents, and a hyphen for all else. */
const plain = (text: string): string =>
  trimmed(
    (text.length > MAX_VALUE ? '' : text)
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replace(/__/g, '-')
      .replace(/[^A-Za-z0-9._-]+/g, '-'),
  )

const trimmed = (text: string): string => text.replace(/^[-_.]+|[-_.]+$/g, '')
