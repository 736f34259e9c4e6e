import type { ComponentChildren, TargetedKeyboardEvent } from 'preact'
import { useLayoutEffect, useMemo, useState } from 'preact/hooks'
import { type AddressParameter, exchanged, filtersOf, givenIn, type PageAddress, parameter } from '../state/address.ts'
import { type Column, lookupLabel, titleOf } from '../state/fields.ts'
import { formatNumber, zoneFor } from '../state/format.ts'
import { MOST_SUMMED, summaryKeyOf } from '../state/known.ts'
import { readNumber } from '../state/read/numbers.ts'
import { request, useAsked } from '../state/service.ts'
import { language } from '../state/text.ts'
import { type HistogramBar, histogramOf } from '../time/axis.ts'
import { NUMBER } from './controls.tsx'

/** Reads the numbers of a column in all matches, from the least. Null: there are too many, or the service failed. */
const numbersAt = async (place: PageAddress, name: string, signal: AbortSignal): Promise<readonly number[] | null> => {
  const asked = [parameter('format', 'csv'), parameter('fields', name), parameter('page_size', String(MOST_SUMMED))]
  const parameters = [...filtersOf(place), ...zoneFor(place), ...asked]
  const response = await request({ path: place.path, parameters }, 'text/csv', signal)
  if (!response.ok || Number(response.headers.get('X-Total-Count')) > MOST_SUMMED) {
    await response.body?.cancel()
    return null
  }
  const [, ...lines] = (await response.text()).split('\n')
  return lines.flatMap((line) => (NUMBER.test(line) ? Number.parseFloat(line) : [])).sort((a, b) => a - b)
}

/** Returns the parameters of a range: of its least number, of its greatest, and of both. */
export const rangeNames = (name: string): string[] => ['gte', 'lte', 'range'].map((lookup) => `${name}__${lookup}`)

/** Returns the ends of the range that a place asks for, as the service writes them. An empty text is no end. */
const rangeIn = (place: PageAddress, name: string): string[] => {
  const [least, most, range] = rangeNames(name).map((each) => givenIn(place, each))
  const [from = '', until = ''] = range?.split(',') ?? []
  return [least ?? from, most ?? until]
}

interface NumberProps {
  readonly column: Column
  readonly place: PageAddress
  /** False: the numbers of so many events cost too much. */
  readonly isCounted: boolean
  /** Replaces the range in the list. */
  readonly choose: (range: readonly AddressParameter[]) => void
}

/** The range of a number. The value is the main number of a series, so its facet is open at first. */
export const NumberFacet = (props: NumberProps) => {
  const { name } = props.column
  const given = rangeIn(props.place, name)
  const isChosen = given.some((end) => end !== '')
  return (
    <Frame title={titleOf(props.column)} chosen={Number(isChosen)} isOpen={isChosen || name === 'value'}>
      <Range {...props} given={given} />
    </Frame>
  )
}

/** A histogram of a number, and two fields with the ends as the reader writes numbers. */
const Range = ({ column, place, isCounted, choose, given }: NumberProps & { readonly given: readonly string[] }) => {
  const { name, unit } = column
  const write = (number: number | undefined) => (number === undefined ? '' : formatNumber(number, 0, unit !== null))
  const [typed, type] = useState(given)
  useLayoutEffect(
    () => type(given.map((end) => (/^-?[\d.]+$/.test(end) ? write(Number(end)) : end))),
    [given.join(), language.value, unit],
  )
  const all = exchanged(place, rangeNames(name), [])
  const key = isCounted ? `numbers ${name} ${summaryKeyOf(all)}` : null
  const { value, isCurrent } = useAsked(key, (signal) => numbersAt(all, name, signal))
  const bins = useMemo(() => histogramOf((isCurrent && value) || []), [isCurrent, value])
  const read = typed.map((text) => (text.trim() === '' ? '' : readNumber(text)))
  const apply = () => {
    const ends = read.filter((end) => end !== null)
    if (ends.length < read.length || ends.join() === given.join()) return
    const both = parameter(`${name}__range`, ends.toSorted((a, b) => Number(a) - Number(b)).join())
    const one = rangeNames(name).map((each, i) => parameter(each, ends[i] ?? ''))
    choose(ends.includes('') ? one.filter(({ value }) => value !== '') : [both])
  }
  const labels = ['gte', 'lte'].map((lookup) => `${titleOf(column)} ${lookupLabel(lookup, '')}`)
  const outer = [write(bins[0]?.from), write(bins.at(-1)?.until)]
  // A handle at an end of the histogram is no filter.
  const said = typed.map((text, i) => text || outer[i])
  const move = (i: number, to: number | undefined) => type(typed.with(i, write(to) === outer[i] ? '' : write(to)))
  const shared = (i: number) => ({ key: i, tabIndex: -1, 'aria-label': labels[i], onChange: apply })
  return (
    <>
      {(bins.length > 1 || !isCurrent) && <Histogram bins={bins} read={read} said={said} shared={shared} move={move} />}
      <div class="row ends">
        {typed.map((text, i) => (
          <input
            {...shared(i)}
            inputMode="decimal"
            aria-invalid={read[i] === null || undefined}
            placeholder={outer[i]}
            value={text}
            onInput={({ currentTarget }) => type(typed.with(i, currentTarget.value))}
          />
        ))}
      </div>
    </>
  )
}

interface HistogramProps {
  readonly bins: readonly HistogramBar[]
  /** The service reads both ends of the range in `read`, and the reader in `said`. */
  readonly read: readonly (string | null)[]
  readonly said: readonly (string | undefined)[]
  /** Returns what both inputs of an end share. */
  readonly shared: (end: number) => { readonly 'aria-label': string | undefined }
  readonly move: (end: number, to: number | undefined) => void
}

/** Bars with two handles. The bars of the range have the accent. */
const Histogram = ({ bins, read: [from, until], said, shared, move }: HistogramProps) => {
  const first = from
    ? Math.max(
        0,
        bins.findLastIndex((bin) => bin.from <= Number(from)),
      )
    : 0
  const end = (until ? bins.findIndex((bin) => bin.until >= Number(until)) + 1 : 0) || bins.length
  const highest = Math.max(...bins.map(({ count }) => count))
  const moved = (i: number, to: number) =>
    move(i, i === 0 ? bins[Math.min(to, end - 1)]?.from : bins[Math.max(to - 1, first)]?.until)
  return (
    <div class="histogram">
      <svg viewBox={`0 0 ${bins.length || 1} 1`} preserveAspectRatio="none" aria-hidden="true">
        {bins.map(({ count }, i) => {
          const height = count / highest
          const kind = i >= first && i < end ? 'in' : undefined
          return <rect key={i} class={kind} x={i + 0.05} y={1 - height} width="0.9" height={height} />
        })}
      </svg>
      {(bins.length === 0 ? [] : [first, end]).map((at, i) => (
        <input
          {...shared(i)}
          type="range"
          max={bins.length}
          value={at}
          aria-valuetext={said[i]}
          onInput={({ currentTarget }) => moved(i, Number(currentTarget.value))}
        />
      ))}
    </div>
  )
}

interface FrameProps {
  readonly title: string
  /** The number of choices. */
  readonly chosen: number
  readonly isHidden?: boolean
  /** True: it is open at first, if the screen is wide. */
  readonly isOpen?: boolean
  readonly children: ComponentChildren
}

/** A facet that its title opens. It is one stop of the Tab key, and arrows reach its controls. */
export const Frame = ({ title, chosen, isHidden = false, isOpen = true, children }: FrameProps) => {
  const [isShown, show] = useState(() => isOpen && matchMedia('(min-width: 62rem)').matches)
  return (
    <section class="facet" aria-label={title} hidden={isHidden} onKeyDown={moveFocus}>
      <details open={isShown} onToggle={({ currentTarget }) => show(currentTarget.open)}>
        <summary>
          <h2>{title}</h2>
          {chosen > 0 && <span class="badge">{chosen}</span>}
        </summary>
        {isShown && children}
      </details>
    </section>
  )
}

const moveFocus = (event: TargetedKeyboardEvent<HTMLElement>): void => {
  if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
  event.preventDefault()
  const stops = Array.from(event.currentTarget.querySelectorAll<HTMLElement>('summary, input, button'))
  const at = stops.indexOf(document.activeElement as HTMLElement)
  stops[at + (event.key === 'ArrowUp' ? -1 : 1)]?.focus()
}
