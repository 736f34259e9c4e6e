import { useMemo, useRef } from 'preact/hooks'
import { attributeIn } from '../../formats/columns.ts'
import type { DotColumn } from '../map/dots.ts'
import { MapPanel } from '../map/panel.tsx'
import type { MapProps } from '../map/shown.ts'
import { changed, filtersOf, givenIn, type PageAddress } from '../state/address.ts'
import { statisticOf, titleOf } from '../state/fields.ts'
import { zoneFor } from '../state/format.ts'
import { choicesFor, type Named } from '../state/groups.ts'
import { MOST_SUMMED, NO_SERIES, type SeriesById } from '../state/known.ts'
import { isEvent, type ListAnswer } from '../state/rows.ts'
import { go } from '../state/store.ts'
import { language, texts } from '../state/text.ts'
import { TimePicture } from '../time/picture.tsx'
import { chipsOf, wordsOfChip } from './filter.ts'
import type { Pane, PartProps, Summed } from './listContext.ts'

/** A period of starts in ISO 8601, which includes its start but not its end. Null: all times. */
type Range = readonly [from: string, before: string] | null

interface PicturesProps extends Summed {
  /** The list of version 3 with all events. Null: the rows have no summary. */
  readonly place: PageAddress | null
  readonly rows?: readonly object[]
  readonly series?: SeriesById
  /** A picture names the filters in words, and the source of the events. */
  readonly described?: string
  readonly origin?: string
  /** The columns of the only series that the dots of the map can show. */
  readonly own?: MapProps['own'] | undefined
  /** The numbers whose statistics the graph can show. */
  readonly numbers?: readonly Named[]
  /** The statistic that the graph shows at first. Absent: it counts. */
  readonly usual?: string | undefined
  /** Replaces the query for a period of starts. Absent: the period opens the list. */
  readonly onRange?: (range: Range) => void
  readonly isNarrowed?: boolean
  readonly area?: string | null
  readonly onArea?: (wkt: string | null) => void
  /** The part that a narrow screen shows. Null: all parts. */
  readonly pane?: Pane | null
  /** If it changes, the map moves to show everything again. */
  readonly query?: string
}

const NO_ROWS: readonly object[] = []

/** Events on a map, and a graph of them over time. */
export const Pictures = (props: PicturesProps) => {
  const { place, summary, isCurrent, retry, described = '', origin = '', pane = null, isNarrowed = false } = props
  const { rows = NO_ROWS, series = NO_SERIES, area = null, onArea } = props
  const seen = useRef<ReadonlySet<Pane>>(new Set())
  // A picture loads when it is first shown. Then it stays, because a map takes long to start.
  if (pane !== null) seen.current = new Set([...seen.current, pane])
  const isMade = (each: Pane) => pane === null || seen.current.has(each)
  const open = (range: Range) => place && go(changed(place, rangeChange('timestamp_start', range)))
  // An area without events stays on the map, so that the reader can change it.
  const isPlaced = summary === null || rows.length > 0 || summary.spatial_bounds !== null || area !== null
  const filters = place && filtersOf(place)
  return (
    <div class="pictures" hidden={pane === 'rows' || pane === 'filters'}>
      <div class="pane" hidden={pane === 'time'}>
        {isMade('map') && isPlaced && (
          <MapPanel
            rows={rows}
            series={series}
            summary={summary}
            isFailed={isCurrent && summary === null}
            area={area}
            described={described}
            query={props.query ?? JSON.stringify(filters)}
            {...(filters && { filters: [...filters, ...zoneFor(place)] })}
            origin={origin}
            {...(props.own && { own: props.own })}
            {...(onArea && { onArea })}
          />
        )}
        <WithoutPlace count={summary?.without_geometry ?? 0} />
      </div>
      {place !== null && isMade('time') && (
        <div class="pane" hidden={pane === 'map'} aria-busy={!isCurrent || undefined}>
          <TimePicture
            place={place}
            summary={summary}
            isCurrent={isCurrent}
            retry={retry}
            isNarrowed={isNarrowed}
            filters={described}
            origin={origin}
            numbers={props.numbers ?? []}
            usual={props.usual}
            onRange={props.onRange ?? open}
          />
        </div>
      )}
    </div>
  )
}

/** Says how many events the map lacks. */
const WithoutPlace = ({ count }: { readonly count: number }) =>
  count === 0 ? null : <p class="muted">{texts().list.withoutPlace(texts().list.counted('events', count))}</p>

interface ListPicturesProps extends PartProps {
  readonly list: ListAnswer
  readonly pane: Pane | null
}

/** The pictures of a list. They change its filters. */
export const ListPictures = ({ place, about, list, known, pane }: ListPicturesProps) => {
  const { events, listed, series, columns, summary } = known
  const change = (changes: Record<string, string | null>) => go(changed(place, changes))
  const filters = filtersOf(place)
  const own = useMemo(() => ownOf(columns, list.results), [columns.every, columns.only, list, language.value])
  const isLevel = own?.columns.some(({ name, statistic }) => name === 'value' && statistic === 'mean')
  // The service reads a row for each number.
  const isCheap = summary !== null && summary.count <= MOST_SUMMED
  return (
    <Pictures
      {...known}
      place={listed}
      rows={list.results}
      pane={pane}
      // A summary of no events belongs to the rows before. It would say that there are none.
      summary={summary?.count === 0 && list.count > 0 ? null : summary}
      described={chipsOf(about, place)
        .map((chip) => wordsOfChip(chip, about, series))
        .join(' · ')}
      query={JSON.stringify(filters)}
      origin={known.origin}
      own={own}
      usual={isLevel && isCheap ? 'value__mean' : undefined}
      numbers={events === null ? [] : choicesFor(columns, list.results).numbers}
      {...(events && {
        area: givenIn(place, events.area) || null,
        isNarrowed: filters.some(({ name }) => name.startsWith(events.start)),
        onArea: (wkt) => change({ [events.area]: wkt }),
        onRange: (range) => change(rangeChange(events.start, range)),
      })}
    />
  )
}

/** The tiles of a series have at most so many of its described attributes, see src/ogc/columns.ts. */
const MOST_IN_TILES = 20
/** In tiles, attributes with these names have other names. */
const OTHERS = ['id', 'category', 'event_series', 'color', 'start', 'end', 'value', 'value_number']

/** Returns the columns that the tiles of the only series have. Undefined: there are several series. */
const ownOf = ({ every, only, described }: PartProps['known']['columns'], rows: readonly object[]): MapProps['own'] => {
  const uuid = rows.find(isEvent)?.series
  if (only === null || uuid === undefined) return undefined
  const attributes = described.filter((name) => attributeIn(name) !== null).slice(0, MOST_IN_TILES)
  const names = ['value', 'category', ...attributes.filter((name) => !OTHERS.includes(attributeIn(name) ?? ''))]
  const columns = every
    .filter(({ name, decimals }) => names.includes(name) && (name !== 'value' || decimals !== null))
    .map((column): DotColumn => {
      const statistic = column.decimals === null ? null : statisticOf(column)
      return { name: column.name, title: titleOf(column), statistic }
    })
  return { uuid, columns }
}

/** Returns the change to a period of starts. Null removes the period. */
const rangeChange = (start: string, range: Range) => {
  const others = ['', '__exact', '__lte', '__gt', '__range'].map((lookup) => [`${start}${lookup}`, null])
  const [from, before] = range ?? [null, null]
  return { ...Object.fromEntries(others), [`${start}__gte`]: from, [`${start}__lt`]: before }
}
