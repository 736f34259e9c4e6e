import { MapPicture } from '../map/picture.tsx'
import { changed, filtersOf, hrefOf, type PageAddress } from '../state/address.ts'
import type { SummaryAnswer } from '../state/known.ts'
import { go, prefix } from '../state/store.ts'
import { TimePicture } from '../time/picture.tsx'

interface OverviewProps {
  /** A list of events of version 3. */
  readonly place: PageAddress
  readonly summary: SummaryAnswer | null
  /** True: the service did not answer with a summary. */
  readonly isFailed: boolean
  /** False while the summary belongs to an earlier place. */
  readonly isCurrent: boolean
  /** The filters of the place in words, for a picture. */
  readonly described?: string
  /** Series whose bounds the map shows. */
  readonly rows?: readonly object[]
}

const NO_ROWS: readonly object[] = []

/** The events of a list on a map and over time. A brushed period opens the list. */
export const Overview = ({ place, summary, isFailed, isCurrent, described = '', rows = NO_ROWS }: OverviewProps) => {
  const open = (range: readonly [from: string, before: string] | null) => {
    const [from, before] = range ?? [null, null]
    go(changed(place, { timestamp_start__gte: from, timestamp_start__lt: before }))
  }
  const isPlaced = summary === null || summary.density.cells.length > 0
  return (
    <div class="pictures">
      {isPlaced && (
        <MapPicture
          {...{
            prefix,
            rows,
            summary,
            described,
            area: null,
            // The summary tells the state of the data, and tiles of a known state stay in the cache of the browser.
            ...(summary !== null && { filters: filtersOf(place) }),
          }}
          series={NO_SERIES}
          fitKey={summary === null ? '' : hrefOf(place)}
        />
      )}
      <TimePicture {...{ place, summary, isFailed, isCurrent }} filters={described} isNarrowed={false} onRange={open} />
    </div>
  )
}

const NO_SERIES = new Map<never, never>()
