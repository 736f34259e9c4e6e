import { zoneOf } from '../../src/base/zone.ts'
import { titledColumn } from '../../src/model/metadata.ts'
import type { EventOptions } from './event.ts'
import { usualOf } from './fields.ts'

/** The headers of times without a zone. */
const TIMES: readonly string[] = [...usualOf('start'), ...usualOf('end')]

/** Splits the header of a time and its zone, as in the workbooks of the page: `Begin (Europe/Amsterdam)`. Null: it is none. */
export function zonedIn(
  header: string,
  { names, described = [] }: Pick<EventOptions, 'names' | 'described'>,
): { readonly name: string; readonly zone: string } | null {
  const [, name = '', zone = ''] = /^(.*\S) *\(([\w/+:-]+)\)$/.exec(header) ?? []
  if (zone === '' || zoneOf(zone) === null) return null
  const isTitle = titledColumn(described, name)?.startsWith('timestamp_')
  const isTime = [names.start, names.end].includes(header) || TIMES.includes(name.toLowerCase()) || isTitle
  return isTime ? { name, zone } : null
}
