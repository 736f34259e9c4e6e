import { DOWNLOADS, mediaType } from '../../downloads.ts'
import type { Schemas } from '../api.d.ts'
import { Swatch } from '../list/cells.tsx'
import { Downloads } from '../list/downloads.tsx'
import { Pictures } from '../list/pictures.tsx'
import { hrefOf, placeOf } from '../state/address.ts'
import { useAsked } from '../state/asked.ts'
import { formatBounds, formatExact } from '../state/format.ts'
import { eventsOf, summaryKeyOf, summaryOf } from '../state/known.ts'
import { type Series, sourceLast } from '../state/rows.ts'
import { ask } from '../state/service.ts'
import { prefix } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { Facts } from './document.tsx'

/** The page of a series, with its events on a map and over time. */
export const SeriesPage = ({ series }: { readonly series: Series }) => {
  const place = eventsOf(prefix, series)
  const { value: summary, isCurrent } = useAsked(summaryKeyOf(place), (signal) => summaryOf(place, signal))
  const t = texts().item.series
  const { columns } = texts().list
  const counted = summary === null ? '' : texts().list.counted('events', summary.count)
  const { access_modifier: access, spatial_bounds: bounds } = series
  return (
    <>
      <div class="headline">
        <h2 class="count">{counted}</h2>
        <div class="actions">
          <a class="button primary" href={hrefOf(place)}>
            {t.events}
          </a>
          <Downloads place={place} about={ALL_FORMATS} counted={counted} />
        </div>
      </div>
      <div class="item">
        <Facts
          facts={[
            [t.observes, <ObservationType series={series} />],
            [t.statistic, series.statistic],
            [columns.start, formatExact(series.start ?? series.first_value_timestamp)],
            [columns.end, formatExact(series.end ?? series.last_value_timestamp)],
            ...(access === undefined ? [] : [[columns.access, access] as const]),
            ...(bounds === undefined ? [] : [[columns.bounds, formatBounds(bounds)] as const]),
            [
              t.colour,
              <span class="series">
                <Swatch color={series.color} /> {series.color}
              </span>,
            ],
            [columns.description, <Description text={series.description} />],
          ]}
        />
        <Pictures
          {...{ place, summary, isCurrent }}
          isFailed={isCurrent && summary === null}
          described={series.name}
          rows={bounds ? [series] : []}
        />
      </div>
    </>
  )
}

/** The longest description that is not folded, in characters. */
const LONGEST = 160

/** A description. A long one is folded. */
const Description = ({ text }: { readonly text: string }) =>
  text.length <= LONGEST ? (
    <span>{text || texts().item.none}</span>
  ) : (
    <details class="folded">
      <summary>{sourceLast(text)}</summary>
    </details>
  )

export const ALL_FORMATS = { renders: Object.values(DOWNLOADS).map(mediaType) }

/** The name of the observation type. An answer of /ogc has the name. Other answers have only its address. */
const ObservationType = ({ series }: { readonly series: Series }) => {
  const { observation_type: address, observation_type_name: known } = series
  const { value: name } = useAsked(address ?? null, (signal) => typeName(address ?? '', signal))
  if (address === undefined) return <>{known ?? texts().item.none}</>
  return <a href={address}>{name ?? texts().item.series.type}</a>
}

const typeName = async (address: string, signal: AbortSignal): Promise<string | null> => {
  const { status, body } = await ask(placeOf(address), signal)
  const { name, unit } = (body ?? {}) as Partial<Schemas['ObservationType']>
  if (status !== 200 || name === undefined) return null
  return unit ? `${name} (${unit})` : name
}
