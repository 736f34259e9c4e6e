import { hrefOf, type PageAddress, setView, view } from '../state/address.ts'
import { type Column, statisticOf, titleOf } from '../state/fields.ts'
import { formatCount, formatPart, formatterOfNumbers } from '../state/format.ts'
import { choicesFor, groupingIn, groupsOf, keyOf, labelOf, placeOfGroup } from '../state/groups.ts'
import { MOST_SUMMED, summaryKeyOf, valuesOf } from '../state/known.ts'
import { comparedIn, comparisonIn, inPeriod, shortNames } from '../state/periods.ts'
import { useAsked } from '../state/service.ts'
import { textsOf } from '../state/text.ts'
import { PLACE } from './cells.tsx'
import type { PartProps } from './listContext.ts'

const findingTexts = textsOf({
  sum: ['{} in all', 'samen {}'],
  mean: ['{} on average', 'gemiddeld {}'],
  more: ['{} more than {}', '{} meer dan {}'],
  less: ['{} less than {}', '{} minder dan {}'],
  without: ['{} without a number', '{} zonder getal'],
  same: ['the same as {}', 'gelijk aan {}'],
  most: ['most {}: {}', 'meeste {}: {}'],
  highest: ['highest: {}', 'hoogste: {}'],
})

interface FindingProps extends Pick<PartProps, 'place' | 'known'> {
  readonly count: number
  readonly rows: readonly object[]
}

/** Says below the count what the numbers of a series come to, how they changed, and which group has most. */
export const Numbers = ({ place, known: { listed, columns }, count, rows }: FindingProps) => {
  const value = columns.every.find(({ name, decimals }) => name === 'value' && decimals !== null)
  const isAsked = listed !== null && columns.only !== null && value !== undefined && count > 1 && count <= MOST_SUMMED
  return isAsked ? (
    <Told count={count} place={place} listed={listed} column={value} group={groupIn(columns, rows)} />
  ) : null
}

/** Returns the name of the reader's group, or else of a column with places. Without both, the series is the group. */
const groupIn = (columns: FindingProps['known']['columns'], rows: readonly object[]): string => {
  const [grouped] = groupingIn(view.value).names
  const place = choicesFor(columns, rows).columns.find(([name]) => PLACE.test(name))
  return grouped ?? place?.[0] ?? 'event_series'
}

interface ToldProps {
  readonly place: PageAddress
  /** The list of version 3, which has a summary. */
  readonly listed: PageAddress
  readonly column: Column
  readonly group: string
  readonly count: number
}

const Told = ({ place, listed, column, group, count }: ToldProps) => {
  const t = findingTexts()
  const by = statisticOf(column)
  const { now, past, name, most } = useNumbers(listed, by, group)
  const value = now?.[by]
  if (typeof value !== 'number') return null
  const number = formatterOfNumbers(column.decimals ?? 0)(value)
  const said = column.unit === null ? `${titleOf(column)}: ${t[by](number)}` : t[by](`${number} ${column.unit}`)
  const without = count - (now?.count ?? count)
  const before = past?.[by]
  const first = most?.entries.length && most.entries.length + most.more > 1 ? most.entries[0] : undefined
  const ofMost = first ? placeOfGroup(place, group, first) : null
  return (
    <p class="finding">
      {` · ${said}`}
      {without > 0 && <span class="wide-only"> ({t.without(formatCount(without))})</span>}
      {by === 'sum' && typeof before === 'number' && before > 0 && (
        <>
          {', '}
          <button type="button" class="quiet" onClick={() => setView({ compare: comparisonIn() ?? 'year' })}>
            {changeOf(value / before - 1, name)}
          </button>
        </>
      )}
      {first !== undefined && ofMost !== null && (
        <>
          {' · '}
          <a key={keyOf(first)} href={hrefOf(ofMost)}>
            {by === 'sum'
              ? t.most(column.unit ?? titleOf(column), labelOf(group, first))
              : t.highest(labelOf(group, first))}
          </a>
        </>
      )}
    </p>
  )
}

/** Says a change from an earlier period. */
const changeOf = (change: number, period: string): string => {
  const t = findingTexts()
  const size = Math.abs(change)
  if (size < 0.005) return t.same(period)
  return (change < 0 ? t.less : t.more)(formatPart(size), period)
}

/** Asks for the numbers of a list, those a year before if it has a period, and the group with most. */
const useNumbers = (place: PageAddress, by: 'sum' | 'mean', group: string) => {
  const key = summaryKeyOf(place)
  const periods = comparedIn(place, 'year')
  const [, name = ''] = periods === null ? [] : shortNames(periods)
  // The groups come with the numbers of all events.
  const most = useAsked(`most ${group} ${by} ${key}`, (signal) =>
    groupsOf(place, group, { number: 'value', order: `-${by}` }, 1, signal),
  )
  const past = useAsked(periods && `numbers ${key} ${periods[1].from}`, async (signal) =>
    periods === null ? null : valuesOf(inPeriod(place, periods[1]), signal),
  )
  const groups = most.isCurrent ? most.value : null
  return { now: groups?.whole, past: past.isCurrent ? past.value : null, most: groups, name }
}
