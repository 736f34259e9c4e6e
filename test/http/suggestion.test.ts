import { expect, it } from 'vitest'
import { answer, send } from '../service.ts'

const EVENTS = '/api/v3/events/'
const V4_EVENTS = '/api/v4/eventseries/99fe5d03-893d-5b20-8244-b9189db33e37/events/'
const V4_SERIES = '/api/v4/eventseries/'
const ITEMS = '/ogc/collections/events/items'
const TEXTS =
  'exact, iexact, contains, icontains, startswith, istartswith, endswith, iendswith, in, isnull, regex, iregex'
const NUMBERS = 'exact, lt, lte, gt, gte, range, in'

it.each<[string, string, string | null]>([
  // No known name is near.
  ...['dist', 'srid', 'name', 'xyzzy', 'toString', '__proto__x', '__', '__gte'].map((name): [string, string, null] => [
    EVENTS,
    name,
    null,
  ]),
  // The letters differ a little.
  [EVENTS, 'categroy', 'category'],
  [EVENTS, 'CATEGORY__IN', 'category__in'],
  [EVENTS, 'pagesize', 'page_size'],
  [EVENTS, 'bbx', 'bbox'],
  [EVENTS, 'timestamp_start_gte', 'timestamp_start__gte'],
  [EVENTS, 'geom__within', 'geom_within'],
  [EVENTS, 'event_series__nam', 'event_series__name'],
  [EVENTS, 'event_series__nmae__icontains', 'event_series__name__icontains'],
  [EVENTS, 'object_type', 'object_type__model'],
  [EVENTS, 'timestamp', 'timestamp_start'],
  [EVENTS, 'timestamp__gte', 'timestamp_start__gte'],
  [EVENTS, 'category__contain', 'category__contains'],
  [EVENTS, 'categroy__istartwith', 'category__istartswith'],
  // Other services use these names.
  [EVENTS, 'start', 'timestamp_start'],
  [EVENTS, 'start__gte', 'timestamp_start__gte'],
  [EVENTS, 'end', 'timestamp_end'],
  [EVENTS, 'limit', 'page_size'],
  [EVENTS, 'offset', 'page'],
  [EVENTS, 'query', 'q'],
  [V4_EVENTS, 'search', 'q'],
  [EVENTS, 'sort', 'ordering'],
  [EVENTS, 'order', 'ordering'],
  [EVENTS, 'feilds', 'fields'],
  [V4_SERIES, 'q', 'name__icontains'],
  [V4_EVENTS, 'offset', 'page'],
  ['/api/v3/observationtypes/', 'q', null],
  [ITEMS, 'sort', 'sortby'],
  [ITEMS, 'fields', 'properties'],
  [ITEMS, 'excluded_properties', 'exclude-properties'],
  [ITEMS, 'page_size', 'limit'],
  [ITEMS, 'start__lt', 'timestamp_start__lt'],
  [ITEMS, 'filter_lang', 'filter-lang'],
  // Another version uses these names.
  [EVENTS, 'geometry__within', 'geom_within'],
  ...['/api/v4/events/', V4_EVENTS].flatMap((path): [string, string, string][] => [
    [path, 'geom_within', 'geometry__within'],
    [path, 'timestamp_start', 'start'],
    [path, 'timestamp_end', 'end'],
    [path, 'timestamp_start__gte', 'start__gte'],
    [path, 'timestamp_end__range', 'end__range'],
  ]),
])('%s?%s=1 suggests %s', async (path, name, suggestion) => {
  const response = await send(`${path}?${name}=1`)
  const body: Record<string, never> & { errors?: Record<string, unknown> } = await response.json()
  const told = `Unknown parameter.${suggestion === null ? '' : ` Did you mean ${suggestion}?`}`
  expect([response.status, (body.errors ?? body)[name]]).toEqual([400, [told]])
})

it.each<[string, string, string]>([
  ...['ne', 'unlike', 'gt', 'like'].map((lookup): [string, string, string] => [
    EVENTS,
    `category__${lookup}`,
    `category has the lookups ${TEXTS}.`,
  ]),
  [EVENTS, 'categroy__ne', `category has the lookups ${TEXTS}.`],
  [EVENTS, 'id__ne', `id has the lookups ${NUMBERS}.`],
  [EVENTS, 'duration__eq', `duration has the lookups ${NUMBERS}.`],
  [EVENTS, 'start__after', 'timestamp_start has the lookups exact, lt, lte, gt, gte, range.'],
  [EVENTS, 'event_series__in', 'Enter event_series without a lookup.'],
  [EVENTS, 'event_series__id__gt', 'event_series__id has the lookups exact, in.'],
  [EVENTS, 'external_id__icontains', 'external_id has the lookups exact, in.'],
  [V4_SERIES, 'uuid__startswith', 'Enter uuid without a lookup.'],
])('%s?%s=1 says: %s', async (path, name, told) => {
  expect(await answer(`${path}?${name}=1`)).toEqual({ status: 400, body: { [name]: [`Unknown parameter. ${told}`] } })
})
