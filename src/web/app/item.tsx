import { Swatch } from '../list/cells.tsx'
import { Downloads } from '../list/downloads.tsx'
import { Pictures } from '../list/pictures.tsx'
import { hrefOf, placeOf } from '../state/address.ts'
import { formatBounds, formatExact } from '../state/format.ts'
import { eventsOf, summaryKeyOf, summaryOf } from '../state/known.ts'
import { isEvent, isSeries, readRow, type Series, sourceLast, uuidOf } from '../state/rows.ts'
import { ask, useAsked } from '../state/service.ts'
import { prefix, shown } from '../state/store.ts'
import { textNamed, texts } from '../state/text.ts'
import { EventPage } from './event.tsx'
import { DocumentFacts, type Fact, Facts, isAddress } from './facts.tsx'

/** The page of an item, or of an address above the lists. */
export const ItemPage = () => {
  const { place, body } = shown.value
  const row = readRow(body as object, place.path)
  if (isEvent(row)) return <EventPage event={row} place={place} />
  if (isSeries(row)) return <SeriesPage series={row} />
  const entries = Object.entries(row)
  const isRoot = entries.length > 0 && entries.every(([, value]) => isAddress(value))
  if (!isRoot) return <DocumentFacts body={row} />
  // Links to the lists below an address.
  return (
    <ul class="roots">
      {entries.map(([name, address]) => (
        <li key={name}>
          <a href={address}>
            <b>{textNamed(texts().item.roots, name) ?? name}</b>
            <code>{new URL(address).pathname}</code>
          </a>
        </li>
      ))}
    </ul>
  )
}

/** The page of a series, with its events on a map and over time. */
export const SeriesPage = ({ series }: { readonly series: Series }) => {
  const place = eventsOf(prefix, uuidOf(series))
  const { value: summary, isCurrent } = useAsked(summaryKeyOf(place), (signal) => summaryOf(place, signal))
  const { item, list } = texts()
  const counted = summary === null ? '' : list.counted('events', summary.count)
  return (
    <>
      <div class="row headline">
        <h2 class="count">{counted}</h2>
        <div class="row actions">
          <a class="button primary" href={hrefOf(place)}>
            {item.series.events}
          </a>
          <Downloads place={place} counted={counted} />
        </div>
      </div>
      <div class="item">
        <Facts facts={factsOf(series)} />
        <Pictures
          place={place}
          summary={summary}
          isCurrent={isCurrent}
          described={series.name}
          rows={series.spatial_bounds ? [series] : []}
        />
      </div>
    </>
  )
}

const factsOf = (series: Series): Fact[] => {
  const { access_modifier: access, spatial_bounds: bounds, color } = series
  const { columns } = texts().list
  const t = texts().item.series
  const facts: Fact[] = [
    [t.observes, <ObservationType series={series} />],
    [t.statistic, series.statistic],
    [columns.start, formatExact(series.start ?? series.first_value_timestamp)],
    [columns.end, formatExact(series.end ?? series.last_value_timestamp)],
  ]
  if (access !== undefined) facts.push([columns.access, access])
  if (bounds !== undefined) facts.push([columns.bounds, formatBounds(bounds)])
  const patch = (
    <span class="series">
      <Swatch color={color} /> {color}
    </span>
  )
  return [...facts, [t.colour, patch], [columns.description, <Description text={series.description} />]]
}

/** The longest description that is not folded, in characters. */
const LONGEST = 160

const Description = ({ text }: { readonly text: string }) =>
  text.length <= LONGEST ? (
    <span>{text || texts().item.none}</span>
  ) : (
    <details class="folded">
      <summary>{sourceLast(text)}</summary>
    </details>
  )

/** The name of the observation type. An answer of /ogc has the name. Other answers have only its address. */
const ObservationType = ({ series }: { readonly series: Series }) => {
  const { observation_type: address, observation_type_name: known } = series
  const { value: name } = useAsked(address ?? null, (signal) => typeName(address ?? '', signal))
  if (address === undefined) return <>{known ?? texts().item.none}</>
  return <a href={address}>{name ?? texts().item.series.type}</a>
}

const typeName = async (address: string, signal: AbortSignal): Promise<string | null> => {
  const { status, body } = await ask(placeOf(address), signal)
  const { name, unit } = (body ?? {}) as { readonly name?: string; readonly unit?: string }
  if (status !== 200 || name === undefined) return null
  return unit ? `${name} (${unit})` : name
}
