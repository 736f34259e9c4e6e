import fc from 'fast-check'
import { conditionsAsked } from '../../src/filters/filter.ts'
import { parameterIn } from '../../src/http/parameters.ts'
import { events } from '../../src/lists/event.ts'
import { allOf } from '../../src/question/condition.ts'
import { thingsOf } from '../question/arrays.ts'
import { truthOf } from '../question/truth.ts'
import type { EventRecord } from '../records.ts'
import { DAY, foundation } from './world.ts'

/** A filter of the event list, and a function that tests an event of `./world.ts` in the same way. */
export interface Filter {
  readonly query: string
  readonly matches: (event: EventRecord) => boolean
}

const thingOf = thingsOf(foundation)

/** Returns the filter of a query. It tests an event on plain values. */
export const filterOf = (query: string): Filter => {
  const asked = Array.from(new URLSearchParams(query), ([name, value]) =>
    conditionsAsked(parameterIn(events.filters, name)?.lookup(value, null) ?? []),
  )
  const where = allOf(asked.flat())
  return { query, matches: (event) => truthOf(where, thingOf(event)) === true }
}

const iso = (time: number) => new Date(time).toISOString()
const T0 = Date.UTC(1970, 0, 1)

/** Filters in groups by parameter. A request takes at most one filter of a group, so it repeats no parameter. */
const QUERIES: readonly (readonly string[])[] = [
  [
    'event_series=1000',
    'event_series=2000,2100',
    'event_series=20000000-0000',
    'event_series=5000',
    'event_series=2000,3000,4000,ffff',
    'event_series__name=MIDDLE',
    'event_series__name__icontains=a',
    'event_series__name__regex=m',
    'event_series__name__isnull=true',
    'event_series=2000,2100&event_series__name__endswith=ll',
    'event_series=2000,2100&event_series__name=large',
    'event_series__observation_type=other',
    'event_series__observation_type__in=1,none',
    'event_series__access_modifier=Public',
    'event_series__not=2000,2100',
    'event_series__name__not=middle&event_series__id__in__not=1,6',
    'event_series__observation_type__not=other',
    'event_series__access_modifier=300&event_series__observation_type=2&event_series=5',
    'event_series=1000,2100&event_series__name__iregex=^m&event_series__name__in=Middle,Large',
  ],
  [
    'category=flood',
    'category__isnull=false',
    'category__exact=',
    'category__iexact=d%C3%BCrre',
    'category__icontains=FLOOD',
    'category__contains=%25_',
    'category__in=flood,drought,none',
    'category__regex=^[df]',
    'category=none',
    'category__not=flood',
    'category__exact__not=',
    'category__in__not=flood,drought,none',
    'category__not=none',
    'category__icontains=o&category__startswith=d',
    'category__iregex=^F&category__exact=flood',
  ],
  [
    'value=150',
    'value__exact=',
    'value__in=-3,+150,%2B.5',
    'value__startswith=1',
    'value__icontains=D%C3%BCrre',
    'value__iendswith=M',
    'value__regex=^\\S*\\d',
    'value__iregex=m&value__contains=2',
    'value__isnull=true',
  ],
  ['q=FLOOD', 'q=durre+m*', 'q=%22flash+flood%22+17*', 'q=%220.4+m%22+station', 'q=1*+of'],
  [
    'value__gte=0.4',
    'value__lt=.5',
    'value__lte=0.5&value__gt=-3',
    'value__range=%2B1.2e1,150.0',
    'value__range=2,1',
    'value__gt=1.7976931348623157e308',
    'value__gte=-1.7976931348623157e308',
    'value__lt=150&value__gt=149.99999999999997',
  ],
  [
    'attributes__mag__gte=2.5',
    'attributes__mag=3',
    'attributes__mag__in__not=3,4',
    'attributes__place__icontains=d%C3%BCr',
    'attributes__place__regex=%25_',
    'attributes__mag__isnull=true',
    'attributes__mag__lt=1&attributes__mag__gt=0.2&attributes__place__isnull=true',
  ],
  [
    'timestamp_start__gte=1900-01-01',
    `timestamp_start__gte=${iso(T0)}`,
    `timestamp_start__lt=${iso(T0 - 60 * DAY)}`,
    `timestamp_start__gte=${iso(T0)}&timestamp_start__lt=${iso(T0 + 2 * DAY)}`,
    `timestamp_start__range=${iso(T0 - DAY)},${iso(T0 + 9 * DAY)}&timestamp_start__gt=${iso(T0)}&timestamp_start__lte=${iso(T0 + 20 * DAY)}`,
    'timestamp_start=1969-07-01&timestamp_start__range=1969-07-02,1970-01-01&timestamp_end__gte=1969-07-01',
    'timestamp_start__range=1970-01-01,1969-07-02',
    'timestamp_start__gte=1969-07-01T00:00:00.000001Z&timestamp_start__lte=1969-07-02T00:00:00.000999Z',
    'timestamp_start__not=1969-07-01',
    'timestamp_start=1969-07-01',
    `timestamp_start__gt=${iso(T0)}&timestamp_start__lt=${iso(T0 + 1)}`,
  ],
  [
    'timestamp_end=1970-01-01T00:00:00.001Z',
    `timestamp_end__lte=${iso(T0)}`,
    'duration=P1D',
    'duration__not=P1D',
    'duration__in__not=0,1 00:00:00&timestamp_end__not=1969-07-02',
    'timestamp_end=1969-07-02&duration=P1D',
    'duration__gte=0.001&duration__lt=P3D&duration__range=0,P1D',
    'duration__gt=0',
    'duration__gte=0',
    'duration__in=0,1 00:00:00',
  ],
  [
    'object=pump%247',
    'object__not=pump%247',
    'object_type__model__not=pump',
    'object_type__model__in__not=pump,none&object_id__not=7',
    'object_type__model=station',
    'object_type__model__isnull=1',
    'object_type__model__isnull=0',
    'object_id=7',
    'object_id__in=1,2,3,7',
    'object=pump%247&object_type__model=pump&object_id=7',
    'object=pump%247&object_type__model=station',
    'object_id__range=3,9&object_id__in=1,3,9,12&object_id__lt=9',
    'object_type__model__in=pump,none&object_type__model__isnull=false&object_id__lte=20',
    'object=pump%247&object_id=8',
    'object=station%247&object_id__gt=3&object_type__model__icontains=T',
  ],
  [
    'id__gt=3000',
    'id__lte=1600',
    'id__range=1400,4321&id__lt=4321',
    'id__in=1,1501,1500,1501,99999999',
    'id__not=5000&id__in__not=1,1501',
    'id=5000',
    'id__gte=9007199254740993',
    'id__gt=-1&id__lt=128',
  ],
  [
    'external_id=n1504',
    'external_id=N1504',
    'external_id__not=n1504',
    'external_id__in=n5,n10,n1504,n1508,n1508,none',
    'external_id__in=n1504,n1508&external_id=n1508',
    `external_id__in=${Array.from({ length: 1000 }, (_, i) => `n${1000 + i}`)}`,
  ],
]
const GROUPS = QUERIES.map((queries) => queries.map(filterOf))

/** All filters in one list. */
export const FILTERS: readonly Filter[] = GROUPS.flat()

/** Picks no filter, one filter, or several of different groups. */
export const filters: fc.Arbitrary<Filter> = fc
  .tuple(...GROUPS.map((group) => fc.option(fc.constantFrom(...group), { freq: 1 })))
  .chain((given) => fc.subarray(given.filter((filter) => filter !== null)))
  .map((given) => ({
    query: given.map(({ query }) => query).join('&'),
    matches: (event) => given.every(({ matches }) => matches(event)),
  }))
