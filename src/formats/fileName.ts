/** What was asked of a list: the names of parameters and their values. */
export type Asked = readonly (readonly [name: string, value: string])[]

const MAX_VALUE = 40
const MAX_NAME = 120

/**
 * The name of a file: what is listed, and what was asked of it, such as `events_category-hurricane.csv`. Of letters, digits,
 * dots and hyphens, which every system and a header takes.
 */
export const fileName = (list: string, asked: Asked, extension: string): string => {
  const parts = asked.map(([name, value]) => [plain(name), plain(value).slice(0, MAX_VALUE)].filter(Boolean).join('-'))
  const name = [list, ...parts].filter(Boolean).join('_').slice(0, MAX_NAME)
  return `${trimmed(name)}.${extension}`
}

/** Letters without their accents, and a hyphen for all else. */
const plain = (text: string): string =>
  trimmed(
    text
      .normalize('NFKD')
      .replace(/\p{M}/gu, '')
      .replace(/__/g, '-')
      .replace(/[^A-Za-z0-9._-]+/g, '-'),
  )

const trimmed = (text: string): string => text.replace(/^[-_.]+|[-_.]+$/g, '')
