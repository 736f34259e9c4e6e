import fc from 'fast-check'
import { naiveNumber } from '../filters/numbers.ts'
import type { EventRecord } from '../records.ts'
import { DAY, SERIES } from './world.ts'

/** A filter of the event list, and a function that tests an event in the same way. */
export interface Filter {
  readonly query: string
  readonly matches: (event: EventRecord) => boolean
  /** The begin of the period of `datetime`. */
  readonly from?: number
}

const upper = (text: string) =>
  Array.from(text, (point) => (point.toUpperCase().length > point.length ? point : point.toUpperCase())).join('')
const iso = (time: number) => new Date(time).toISOString()
const isSeries = (ids: number[]) => (event: EventRecord) => ids.includes(event.series)
const value = (test: (text: string) => boolean) => (event: EventRecord) => test(event.value)
const measured = (test: (number: number) => boolean) =>
  value((text) => {
    const number = naiveNumber(text)
    return number !== null && test(number)
  })
/** Each test accepts a text of the event, in lower case without umlauts. */
const words =
  (...tests: ((text: string) => boolean)[]) =>
  ({ value, category, series, object, external_id, attributes }: EventRecord) => {
    const own = Object.values(attributes ?? {}).map(String)
    const texts = [value, category, NAMES.get(series) ?? '', object?.model ?? '', external_id ?? '', ...own]
    const folded = texts.map((text) => text.toLowerCase().replaceAll('ü', 'u'))
    return tests.every((test) => folded.some(test))
  }
const NAMES = new Map<number, string>(SERIES.map(({ id, name }) => [id, name]))
const attribute = (name: string, test: (value: unknown) => boolean) => (event: EventRecord) =>
  test(event.attributes?.[name])
const category = (test: (text: string) => boolean) => (event: EventRecord) => test(event.category)
const T0 = Date.UTC(1970, 0, 1)

/** Filters in groups by parameter. A request takes at most one filter of a group, so it repeats no parameter. */
const GROUPS: readonly (readonly Filter[])[] = [
  [
    { query: 'event_series=1000', matches: isSeries([1]) },
    { query: 'event_series=2000,2100', matches: isSeries([2, 3]) },
    { query: 'event_series=20000000-0000', matches: isSeries([2]) },
    { query: 'event_series=5000', matches: isSeries([6]) },
    { query: 'event_series=2000,3000,4000,ffff', matches: isSeries([2, 4, 5]) },
    { query: 'event_series__name=MIDDLE', matches: isSeries([3]) },
    { query: 'event_series__name__icontains=a', matches: isSeries([1, 2, 5]) },
    { query: 'event_series__name__regex=m', matches: isSeries([2, 4]) },
    { query: 'event_series__name__isnull=true', matches: () => false },
    { query: 'event_series=2000,2100&event_series__name__endswith=ll', matches: isSeries([2]) },
    { query: 'event_series=2000,2100&event_series__name=large', matches: () => false },
    { query: 'event_series__observation_type=other', matches: isSeries([3, 6]) },
    { query: 'event_series__observation_type__in=1,none', matches: isSeries([1, 2, 4, 5]) },
    { query: 'event_series__access_modifier=Public', matches: isSeries([1, 2, 3]) },
    { query: 'event_series__not=2000,2100', matches: isSeries([1, 4, 5, 6]) },
    { query: 'event_series__name__not=middle&event_series__id__in__not=1,6', matches: isSeries([2, 4, 5]) },
    { query: 'event_series__observation_type__not=other', matches: isSeries([1, 2, 4, 5]) },
    {
      query: 'event_series__access_modifier=300&event_series__observation_type=2&event_series=5',
      matches: isSeries([6]),
    },
    {
      query: 'event_series=1000,2100&event_series__name__iregex=^m&event_series__name__in=Middle,Large',
      matches: isSeries([3]),
    },
  ],
  [
    { query: 'category=flood', matches: category((text) => text === 'flood') },
    { query: 'category__isnull=false', matches: () => true },
    { query: 'category__exact=', matches: category((text) => text === '') },
    { query: 'category__iexact=d%C3%BCrre', matches: category((text) => upper(text) === 'DÜRRE') },
    { query: 'category__icontains=FLOOD', matches: category((text) => upper(text).includes('FLOOD')) },
    { query: 'category__contains=%25_', matches: category((text) => text.includes('%_')) },
    { query: 'category__in=flood,drought,none', matches: category((text) => ['flood', 'drought'].includes(text)) },
    { query: 'category__regex=^[df]', matches: category((text) => /^[df]/.test(text)) },
    { query: 'category=none', matches: () => false },
    { query: 'category__not=flood', matches: category((text) => text !== 'flood') },
    { query: 'category__exact__not=', matches: category((text) => text !== '') },
    {
      query: 'category__in__not=flood,drought,none',
      matches: category((text) => !['flood', 'drought'].includes(text)),
    },
    { query: 'category__not=none', matches: () => true },
    {
      query: 'category__icontains=o&category__startswith=d',
      matches: category((text) => upper(text).includes('O') && text.startsWith('d')),
    },
    {
      query: 'category__iregex=^F&category__exact=flood',
      matches: category((text) => text === 'flood'),
    },
  ],
  [
    { query: 'value=150', matches: value((text) => text === '150') },
    { query: 'value__exact=', matches: value((text) => text === '') },
    { query: 'value__in=-3,+150,%2B.5', matches: value((text) => ['-3', '+.5'].includes(text)) },
    { query: 'value__startswith=1', matches: value((text) => text.startsWith('1')) },
    { query: 'value__icontains=D%C3%BCrre', matches: value((text) => upper(text).includes('DÜRRE')) },
    { query: 'value__iendswith=M', matches: value((text) => upper(text).endsWith('M')) },
    { query: 'value__regex=^\\S*\\d', matches: value((text) => /^\S*\d/.test(text)) },
    { query: 'value__iregex=m&value__contains=2', matches: value((text) => /m/i.test(text) && text.includes('2')) },
    { query: 'value__isnull=true', matches: () => false },
  ],
  [
    { query: 'q=FLOOD', matches: words((text) => /(?<![a-z0-9])flood(?![a-z0-9])/.test(text)) },
    {
      query: 'q=durre+m*',
      matches: words(
        (text) => text.includes('durre'),
        (text) => /(?<![a-z0-9])m/.test(text),
      ),
    },
    {
      query: 'q=%22flash+flood%22+17*',
      matches: words(
        (text) => text === 'flash flood',
        (text) => text === '17',
      ),
    },
    {
      query: 'q=%220.4+m%22+station',
      matches: words(
        (text) => text === '0.4 m',
        (text) => text === 'station',
      ),
    },
    {
      query: 'q=1*+of',
      matches: words(
        (text) => /(?<![a-z0-9])1/.test(text),
        (text) => /(?<![a-z0-9])of(?![a-z0-9])/.test(text),
      ),
    },
  ],
  [
    { query: 'value__gte=0.4', matches: measured((number) => number >= 0.4) },
    { query: 'value__lt=.5', matches: measured((number) => number < 0.5) },
    { query: 'value__lte=0.5&value__gt=-3', matches: measured((number) => number <= 0.5 && number > -3) },
    { query: 'value__range=%2B1.2e1,150.0', matches: measured((number) => number >= 12 && number <= 150) },
    { query: 'value__range=2,1', matches: () => false },
    { query: 'value__gt=1.7976931348623157e308', matches: () => false },
    { query: 'value__gte=-1.7976931348623157e308', matches: measured(() => true) },
    { query: 'value__lt=150&value__gt=149.99999999999997', matches: () => false },
  ],
  [
    { query: 'attributes__mag__gte=2.5', matches: attribute('mag', (mag) => typeof mag === 'number' && mag >= 2.5) },
    { query: 'attributes__mag=3', matches: attribute('mag', (mag) => mag === 3 || mag === '3') },
    { query: 'attributes__mag__in__not=3,4', matches: attribute('mag', (mag) => !['3', '4'].includes(`${mag}`)) },
    { query: 'attributes__place__icontains=d%C3%BCr', matches: attribute('place', (place) => place === 'Dürre') },
    { query: 'attributes__place__regex=%25_', matches: attribute('place', (place) => `${place}`.includes('%_')) },
    { query: 'attributes__mag__isnull=true', matches: attribute('mag', (mag) => mag === undefined) },
    {
      query: 'attributes__mag__lt=1&attributes__mag__gt=0.2&attributes__place__isnull=true',
      matches: attribute('mag', (mag) => typeof mag === 'number' && mag < 1 && mag > 0.2),
    },
  ],
  [
    { query: 'timestamp_start__gte=1900-01-01', matches: () => true },
    { query: `timestamp_start__gte=${iso(T0)}`, matches: ({ start }) => start >= T0 },
    { query: `timestamp_start__lt=${iso(T0 - 60 * DAY)}`, matches: ({ start }) => start < T0 - 60 * DAY },
    {
      query: `timestamp_start__gte=${iso(T0)}&timestamp_start__lt=${iso(T0 + 2 * DAY)}`,
      matches: ({ start }) => start >= T0 && start < T0 + 2 * DAY,
    },
    {
      query: `timestamp_start__range=${iso(T0 - DAY)},${iso(T0 + 9 * DAY)}&timestamp_start__gt=${iso(T0)}&timestamp_start__lte=${iso(T0 + 20 * DAY)}`,
      matches: ({ start }) => start > T0 && start <= T0 + 9 * DAY,
    },
    {
      query: 'timestamp_start=1969-07-01&timestamp_start__range=1969-07-02,1970-01-01&timestamp_end__gte=1969-07-01',
      matches: () => false,
    },
    {
      query: 'timestamp_start__range=1970-01-01,1969-07-02',
      matches: () => false,
    },
    {
      query: 'timestamp_start__gte=1969-07-01T00:00:00.000001Z&timestamp_start__lte=1969-07-02T00:00:00.000999Z',
      matches: ({ start }) => start === Date.UTC(1969, 6, 2),
    },
    { query: 'timestamp_start__not=1969-07-01', matches: ({ start }) => start !== Date.UTC(1969, 6, 1) },
    { query: 'timestamp_start=1969-07-01', matches: ({ start }) => start === Date.UTC(1969, 6, 1) },
    {
      query: `timestamp_start__gt=${iso(T0)}&timestamp_start__lt=${iso(T0 + 1)}`,
      matches: () => false,
    },
  ],
  [
    { query: 'timestamp_end=1970-01-01T00:00:00.001Z', matches: ({ end }) => end === T0 + 1 },
    { query: `timestamp_end__lte=${iso(T0)}`, matches: ({ end }) => end <= T0 },
    { query: 'duration=P1D', matches: ({ start, end }) => end - start === DAY },
    { query: 'duration__not=P1D', matches: ({ start, end }) => end - start !== DAY },
    {
      query: 'duration__in__not=0,1 00:00:00&timestamp_end__not=1969-07-02',
      matches: ({ start, end }) => ![0, DAY].includes(end - start) && end !== Date.UTC(1969, 6, 2),
    },
    {
      query: 'timestamp_end=1969-07-02&duration=P1D',
      matches: ({ start, end }) => end === Date.UTC(1969, 6, 2) && start === end - DAY,
    },
    {
      query: 'duration__gte=0.001&duration__lt=P3D&duration__range=0,P1D',
      matches: ({ start, end }) => end - start === 1 || end - start === DAY,
    },
    { query: 'duration__gt=0', matches: ({ start, end }) => end > start },
    { query: 'duration__gte=0', matches: () => true },
    { query: 'duration__in=0,1 00:00:00', matches: ({ start, end }) => [0, DAY].includes(end - start) },
  ],
  [
    { query: 'object=pump%247', matches: ({ object }) => object?.model === 'pump' && object.id === 7 },
    { query: 'object__not=pump%247', matches: ({ object }) => object?.model !== 'pump' || object.id !== 7 },
    { query: 'object_type__model__not=pump', matches: ({ object }) => object?.model !== 'pump' },
    {
      query: 'object_type__model__in__not=pump,none&object_id__not=7',
      matches: ({ object }) => object?.model !== 'pump' && object?.id !== 7,
    },
    { query: 'object_type__model=station', matches: ({ object }) => object?.model === 'station' },
    { query: 'object_type__model__isnull=1', matches: ({ object }) => object === null },
    { query: 'object_type__model__isnull=0', matches: ({ object }) => object !== null },
    { query: 'object_id=7', matches: ({ object }) => object?.id === 7 },
    { query: 'object_id__in=1,2,3,7', matches: ({ object }) => object !== null && [1, 2, 3, 7].includes(object.id) },
    {
      query: 'object=pump%247&object_type__model=pump&object_id=7',
      matches: ({ object }) => object?.model === 'pump' && object.id === 7,
    },
    { query: 'object=pump%247&object_type__model=station', matches: () => false },
    {
      query: 'object_id__range=3,9&object_id__in=1,3,9,12&object_id__lt=9',
      matches: ({ object }) => object?.id === 3,
    },
    {
      query: 'object_type__model__in=pump,none&object_type__model__isnull=false&object_id__lte=20',
      matches: ({ object }) => object?.model === 'pump' && object.id <= 20,
    },
    { query: 'object=pump%247&object_id=8', matches: () => false },
    {
      query: 'object=station%247&object_id__gt=3&object_type__model__icontains=T',
      matches: ({ object }) => object?.model === 'station' && object.id === 7,
    },
  ],
  [
    { query: 'id__gt=3000', matches: ({ id }) => id > 3000 },
    { query: 'id__lte=1600', matches: ({ id }) => id <= 1600 },
    { query: 'id__range=1400,4321&id__lt=4321', matches: ({ id }) => id >= 1400 && id < 4321 },
    { query: 'id__in=1,1501,1500,1501,99999999', matches: ({ id }) => [1, 1500, 1501].includes(id) },
    { query: 'id__not=5000&id__in__not=1,1501', matches: ({ id }) => ![5000, 1, 1501].includes(id) },
    { query: 'id=5000', matches: ({ id }) => id === 5000 },
    { query: 'id__gte=9007199254740993', matches: () => false },
    { query: 'id__gt=-1&id__lt=128', matches: ({ id }) => id < 128 },
  ],
  [
    { query: 'external_id=n1504', matches: ({ external_id }) => external_id === 'n1504' },
    { query: 'external_id=N1504', matches: () => false },
    { query: 'external_id__not=n1504', matches: ({ external_id }) => external_id !== 'n1504' },
    {
      query: 'external_id__in=n5,n10,n1504,n1508,n1508,none',
      matches: ({ external_id = '' }) => ['n1504', 'n1508'].includes(external_id ?? ''),
    },
    {
      query: 'external_id__in=n1504,n1508&external_id=n1508',
      matches: ({ external_id }) => external_id === 'n1508',
    },
    {
      query: `external_id__in=${Array.from({ length: 1000 }, (_, i) => `n${1000 + i}`)}`,
      matches: ({ external_id }) => /^n1\d{3}$/.test(external_id ?? ''),
    },
  ],
]

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
