import { useRef } from 'preact/hooks'
import { MapPicture } from '../map/picture.tsx'
import { changed, filtersOf, givenIn, type PageAddress } from '../state/address.ts'
import type { About } from '../state/context.ts'
import { isEvent } from '../state/event.ts'
import type { ListAnswer } from '../state/rows.ts'
import { go, prefix } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { TimePicture } from '../time/picture.tsx'
import { Spans } from '../time/spans.tsx'
import { wordsOf } from './filter.ts'
import type { ListContext } from './listContext.ts'
import type { Pane } from './panes.tsx'

interface PicturesProps {
  readonly place: PageAddress
  readonly about: About
  readonly list: ListAnswer
  readonly known: ListContext
  /** The part that a narrow screen shows. Null: all parts. */
  readonly pane: Pane | null
}

/** The map, the graph over time, and the bars of long events. */
export const Pictures = ({ place, about, list, known, pane }: PicturesProps) => {
  const { events, listed, named } = known
  // A summary of no events belongs to the rows before. It would say that there are none.
  const summary = known.summary?.count === 0 && list.count > 0 ? null : known.summary
  const seen = useRef<ReadonlySet<Pane>>(new Set())
  // A picture loads when it is first shown. Then it stays, because a map takes long to start.
  if (pane !== null) seen.current = new Set([...seen.current, pane])
  const isMade = (each: Pane) => pane === null || seen.current.has(each)
  const change = (changes: Record<string, string | null>) => go(changed(place, changes))
  const { fitKey, noteDrawn } = useFit(place)
  const onArea = (wkt: string | null) => {
    noteDrawn()
    if (events !== null) change({ [events.area]: wkt })
  }
  const described = filtersOf(place)
    .map((each) => wordsOf(each, about, known.series))
    .join(' · ')
  const hasMap = isMade('map')
  return (
    <div class="pictures" hidden={pane === 'rows' || pane === 'filters'}>
      <div class="pane" hidden={pane === 'time'}>
        {hasMap && (
          <MapPicture
            {...{ prefix, rows: list.results, series: named, summary, fitKey, described }}
            area={(events && givenIn(place, events.area)) || null}
            {...(listed && { filters: filtersOf(listed) })}
            {...(events && { onArea })}
          />
        )}
        <WithoutPlace count={summary?.without_geometry ?? 0} />
      </div>
      {listed !== null && events !== null && isMade('time') && (
        <div class="pane" hidden={pane === 'map'}>
          <TimePicture
            place={listed}
            filters={described}
            summary={summary}
            isFailed={known.isUncounted}
            isCurrent={known.isSummaryCurrent}
            isNarrowed={place.parameters.some(({ name }) => name.startsWith(events.start))}
            onRange={(range) => change(rangeChange(events.start, range))}
          />
          <Spans events={list.results.filter(isEvent)} series={named} />
        </div>
      )}
    </div>
  )
}

const WithoutPlace = ({ count }: { readonly count: number }) =>
  count === 0 ? null : <p class="legend">{texts().list.withoutPlace(texts().list.counted('events', count))}</p>

/** Returns a key that changes when the map may show everything again. An area that was drawn on it moves nothing. */
const useFit = (place: PageAddress) => {
  const filters = JSON.stringify(filtersOf(place))
  const state = useRef({ filters, fitKey: filters, isDrawn: false })
  if (state.current.filters !== filters) {
    const { isDrawn, fitKey } = state.current
    state.current = { filters, fitKey: isDrawn ? fitKey : filters, isDrawn: false }
  }
  const noteDrawn = () => {
    state.current.isDrawn = true
  }
  return { fitKey: state.current.fitKey, noteDrawn }
}

/** Returns the change to a period of starts. Null removes the period. */
const rangeChange = (start: string, range: readonly [from: string, before: string] | null) => {
  const others = ['', '__exact', '__lte', '__gt', '__range'].map((lookup) => [`${start}${lookup}`, null])
  const [from, before] = range ?? [null, null]
  return { ...Object.fromEntries(others), [`${start}__gte`]: from, [`${start}__lt`]: before }
}
