import { dateFormat, hasClock, localOf } from './dates.ts'

const DATES =
  'DD-MM-YYYY MM-DD-YYYY DD/MM/YYYY MM/DD/YYYY DD.MM.YYYY YYYY.MM.DD YYYYMMDD YYYYMMDDHH DD-MMM-YYYY DD_MMM_YYYY MMM_DD_YYYY MMM_DD,_YYYY'
    .split(' ')
    .map((format) => format.replaceAll('_', ' '))
const CLOCKS = ['', ' HH:mm', ' HH:mm:ss', ' hh:mm A', ' hh:mm:ss A', ' HHmm']

/** Usual formats of dates that are not ISO 8601. */
const FORMATS = DATES.flatMap((date) =>
  CLOCKS.filter((clock) => clock === '' || !hasClock(date)).map((clock) => date + clock),
).map((format) => ({ format, read: dateFormat(format) }))

/** Returns the usual formats that read a text, with the local times that they give. */
export const readingsOf = (text: string): { readonly format: string; readonly local: number }[] =>
  FORMATS.flatMap(({ format, read }) => {
    const written = read(text)
    const local = written && localOf(written)
    return local === null ? [] : { format, local }
  })

/** Lists the usual formats that read a text, with the dates that they give. It is empty if none does. */
export const formatsFor = (text: string): string =>
  readingsOf(text)
    .map(({ format, local }) => `"${format}" is ${new Date(local).toISOString().replace(/(T00:00:00)?\.000Z$/, '')}`)
    .join(', ')

/** Tests if a text is a date without a time that is not ISO 8601. */
export const isUsualDate = (text: string): boolean =>
  FORMATS.some(({ format, read }) => !hasClock(format) && read(text) !== null)
