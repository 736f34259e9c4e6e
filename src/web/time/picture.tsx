import { useMemo, useRef } from 'preact/hooks'
import { NotLoaded, type Option, Swatch } from '../list/cells.tsx'
import { Choice } from '../list/groupChoice.tsx'
import { type PageAddress, setView, view } from '../state/address.ts'
import type { BarLength } from '../state/format.ts'
import type { Named } from '../state/groups.ts'
import { hasBins, type StackField, type SummaryAnswer, summaryKeyOf, timeOf } from '../state/known.ts'
import { comparedIn, comparisonIn, endsIn, inPeriod, shortNames } from '../state/periods.ts'
import { canvasOf, savePicture } from '../state/picture.ts'
import { useAsked } from '../state/service.ts'
import { language, texts } from '../state/text.ts'
import type { Scale } from './axis.ts'
import {
  type Bars,
  barsOf,
  besidePast,
  captionOf,
  describeBars,
  isUneven,
  lengthFor,
  statisticsIn,
  timeTexts,
  withParts,
} from './bars.ts'
import { type Measure, type Measured, measureIn, measuresOf } from './measure.ts'
import { Timeline } from './timeline.tsx'

export interface TimeProps {
  /** The place of the list of version 3 whose summary is shown. */
  readonly place: PageAddress
  /** A picture names the filters in words, and the source of the events. */
  readonly filters: string
  readonly origin: string
  /** Null while it is asked, or if it failed. */
  readonly summary: SummaryAnswer | null
  /** False while the summary belongs to an earlier place. */
  readonly isCurrent: boolean
  /** Asks for the summary again. */
  readonly retry: () => void
  /** True: the user has filtered by start. A button leads to all times. */
  readonly isNarrowed: boolean
  /** The numbers whose statistics the graph can show. */
  readonly numbers: readonly Named[]
  /** The graph shows this statistic if the reader chooses none, such as the mean of a level. Absent: it counts. */
  readonly usual?: string | undefined
  /** Gets a brushed range in ISO 8601, which includes its start but not its end. Null: all times. */
  readonly onRange: (range: readonly [from: string, before: string] | null) => void
}

/** Shows a graph of the starts of all matching events. It has its height before the summary arrives. */
export const TimePicture = (props: TimeProps) => {
  const { place, summary, isCurrent, onRange, numbers } = props
  const text = timeTexts()
  const measure = measureIn(props.usual ?? '')
  const stack = STACKS.find((each) => each === view.value.get('stack')) ?? 'nothing'
  // Only counts are stacked.
  const by = stack === 'nothing' || measure !== null ? null : stack
  const drawn = useRef<HTMLDivElement>(null)
  const title = numbers.find(([name]) => name === measure?.number)?.[1] ?? measure?.number ?? ''
  const { bars, isFailed, retry } = useBars(place, summary, isCurrent, by, measure && { ...measure, title })
  const chosen = SCALES.find((each) => each === view.value.get('scale'))
  const scale = chosen ?? (bars !== null && isUneven(bars) ? 'root' : 'linear')
  const caption = bars === null ? '' : captionOf(bars)
  const save = () => saveGraph(drawn.current, bars, props, scale === 'root' ? `${caption}, ${text.root}` : caption)
  return (
    <section class="panel timeline" aria-label={text.title}>
      <div class="row panel-head">
        <h2>{text.title}</h2>
        <small>{caption}</small>
        <button type="button" hidden={!props.isNarrowed} onClick={() => onRange(null)}>
          {text.all}
        </button>
        <div class="row actions">
          <Choices numbers={numbers} measure={measure} stack={stack} scale={scale} />
          <button type="button" aria-label={text.image} title={text.image} onClick={save}>
            PNG
          </button>
        </div>
      </div>
      {bars !== null && bars.counts.length > 1 ? (
        <Timeline bars={bars} scale={scale} onRange={onRange} drawn={drawn} />
      ) : (
        <p class="plot empty">
          {isFailed && <NotLoaded retry={summary === null ? props.retry : retry} />}
          {bars !== null && ((bars.counts[0] ?? 0) > 0 ? describeBars(bars, [0, 0]) : text.none)}
        </p>
      )}
      {(by !== null || comparisonIn() !== undefined) && <Legend bars={bars} />}
    </section>
  )
}

interface ChoicesProps extends Pick<TimeProps, 'numbers'> {
  readonly measure: Measure | null
  readonly stack: (typeof STACKS)[number]
  readonly scale: Scale
}

/** The choice of what the graph shows. The address keeps it. */
const Choices = ({ numbers, measure, stack, scale }: ChoicesProps) => {
  const text = timeTexts()
  const shown: Option[] = [['', text.counts], ...numbers.flatMap(optionsOf)]
  const named = (names: readonly ((typeof STACKS)[number] | Scale)[]): Option[] =>
    names.map((each) => [each, text[each]])
  return (
    <>
      {numbers.length > 0 && (
        <Choice title={text.show} value={measure?.name ?? ''} of={shown} choose={(graph) => setView({ graph })} />
      )}
      {measure === null && (
        <>
          <Choice title={text.stackBy} value={stack} of={named(STACKS)} choose={(stack) => setView({ stack })} />
          <Choice title={text.scale} value={scale} of={named(SCALES)} choose={(scale) => setView({ scale })} />
        </>
      )}
    </>
  )
}

/** Returns the options of a number: its statistics, by their names in the address. */
const optionsOf = ([number, title]: Named): Option[] =>
  measuresOf(number).map(({ name, statistic }) => [name, timeTexts().measures[statistic](title)])

const saveGraph = (
  drawn: HTMLElement | null,
  bars: Bars | null,
  { summary, filters, origin }: TimeProps,
  caption: string,
) => {
  if (drawn === null || bars === null || summary === null) return
  const title = timeTexts().headline(texts().list.counted('events', summary.count))
  const legend = bars.layers.flatMap(({ color, name }) => (color === undefined ? [] : [[color, name] as const]))
  savePicture({ title, lines: [filters, caption], canvas: canvasOf(drawn), legend, origin, file: 'timeline' })
}

/** A statistic that the graph shows, and the name of its number for people. */
type Shown = Measure & Pick<Measured, 'title'>

/**
 * Returns the bars of a summary. Asks for them if the summary has no bins of their unit, or if they have layers or show a
 * number. Until the layers arrive, and if they fail, the bars have one colour. Until the bars arrive, it returns those
 * before. It asks for nothing while the summary belongs to another place, whose unit may be too short for this one.
 */
const useBars = (
  place: PageAddress,
  summary: SummaryAnswer | null,
  isCurrent: boolean,
  by: StackField | null,
  shown: Shown | null,
) => {
  const last = useRef<Bars | null>(null)
  const length = (summary && lengthFor(summary.time)) ?? NO_LENGTH
  const isComplete = isCurrent && (length === NO_LENGTH || hasBins(place, length))
  const isAsked = isCurrent && length !== NO_LENGTH && (!isComplete || by !== null || shown !== null)
  const number = shown?.number ?? null
  const key = isAsked ? JSON.stringify([summaryKeyOf(place), summary?.time, by, number]) : null
  const asked = useAsked(key, (signal) => timeOf(place, length.unit, by, number, signal))
  const found = (asked.isCurrent ? asked.value : null) ?? (isComplete ? summary : null)
  const bars = useMemo(
    () => found && withParts(measuredBars(found, length, by, shown), endsIn(place), found),
    [found, by, shown?.name, shown?.title, language.value],
  )
  const whole = usePast(place, bars, length, shown)
  if (whole !== null) last.current = whole
  const isFailed = isCurrent && (summary === null || (isAsked && asked.isCurrent && found === null))
  return { bars: whole ?? (summary === null || isFailed ? null : last.current), isFailed, retry: asked.retry }
}

/** Adds the bars of the earlier period that the address compares with. Until they arrive, there are none. */
const usePast = (place: PageAddress, bars: Bars | null, length: BarLength, shown: Shown | null): Bars | null => {
  const periods = comparedIn(place)
  const [, other] = periods ?? [null, null]
  const number = shown?.number ?? null
  const key = bars && other && JSON.stringify([summaryKeyOf(place), other, length, number])
  const { value, isCurrent } = useAsked(
    key,
    async (signal) => other && timeOf(inPeriod(place, other), length.unit, null, number, signal),
  )
  return useMemo(() => {
    if (bars === null || periods === null || !isCurrent || value === null) return bars
    const past = measuredBars(value, length, null, shown)
    const [now, before] = periods
    const [, name = ''] = shortNames(periods)
    return besidePast(bars, past, [now.from, before.from], name)
  }, [bars, value, isCurrent])
}

const measuredBars = (summary: SummaryAnswer, length: BarLength, by: StackField | null, shown: Shown | null): Bars => {
  const bars = barsOf(summary, length, by)
  const found = shown && summary.statistics?.[shown.number]
  if (!found) return bars
  const { statistic, title } = shown
  return { ...bars, measured: { statistic, title, statistics: statisticsIn(bars.edges, found.bins) } }
}

/** Without events, there are no bars. */
const NO_LENGTH = { unit: 'year', size: 1 } as const

const STACKS = ['nothing', 'event_series', 'category'] as const
const SCALES: readonly Scale[] = ['linear', 'root']

/** Names the colours of the layers, and of the earlier period. It has its height before they arrive. */
const Legend = ({ bars }: { readonly bars: Bars | null }) => (
  <ul class="row layers">
    {bars?.layers.map(
      ({ name, color, count }) =>
        color !== undefined && (
          <li key={name} title={texts().list.counted('events', count)}>
            <Swatch color={color} />
            {name}
          </li>
        ),
    )}
    {bars?.past !== undefined && (
      <li>
        <span class="swatch past" aria-hidden="true" />
        {bars.past.name}
      </li>
    )}
  </ul>
)
