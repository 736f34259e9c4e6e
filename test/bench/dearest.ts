import { box, comb, densified, inside, type Ring, wkt, zigzag } from './shapes.ts'
import { ask, type Kind, SUMMARY, type Workload } from './workloads.ts'

const REPETITIONS = 3
/** A ring around the world except its corners. It has four edges, and none of them is parallel to the equator. */
const QUADRILATERAL: Ring = [
  [-179.9, -89.9],
  [179.9, -89],
  [179, 89.9],
  [-179, 89],
  [-179.9, -89.9],
]

const one = (name: string, query: Workload['query'], rest: Partial<Workload> = {}): Kind => ({
  name,
  requests: Array.from({ length: REPETITIONS }, () => ask(name, query, rest)),
})

const summary = (name: string, query: Workload['query']) => one(`summary: ${name}`, query, { to: SUMMARY })

/** Returns the valid requests for so many events that were the most expensive ones, or that a limit refused. */
export const dearest = (events: number): Kind[] => {
  const around = inside(QUADRILATERAL)
  const north = inside(box([0, 45], 360, 90))
  const band = (height: number) => inside(box([0, 0], 360, height))
  const dense = inside(densified([-10, 35], [40, 70], 5000))
  const late = { timestamp_end__gte: '1900-01-01' }
  const anyDuration = { duration__gte: '00:00:00' }
  const middle = String(Math.floor(events / 20))
  return [
    one('quadrilateral, any duration, last page', { ...around, ...anyDuration, page: 'last' }),
    one('quadrilateral, category icontains e, last page by timestamp_end', {
      ...around,
      category__icontains: 'e',
      ordering: 'timestamp_end',
      page: 'last',
    }),
    one('quadrilateral, last page by -timestamp_end', { ...around, ordering: '-timestamp_end', page: 'last' }),
    summary('quadrilateral, level=12', { ...around, level: '12' }),
    one('comb of 99,990 vertices', { geom_within: wkt(comb(24_997)) }),
    one('zigzag of 99,990 vertices', { geom_within: wkt(zigzag(99_990)) }),
    one('northern hemisphere', north),
    summary('northern hemisphere', north),
    one('western hemisphere', inside(box([-90, 0], 180, 180))),
    one('band of 2 degrees along the equator', band(2)),
    one('band of 0.002 degrees along the equator', band(0.002)),
    one('box with 5,000 vertices a side', dense),
    one('box with 5,000 vertices a side, late, category icontains', {
      ...dense,
      ...late,
      category__icontains: 'FLOOD',
    }),
    one('any end since 1900, last page', { ...late, page: 'last' }),
    one('any end since 1900, page in the middle by timestamp_start', {
      ...late,
      ordering: 'timestamp_start',
      page: middle,
    }),
    one('longer than nothing, last page by timestamp_end', {
      duration__gt: '00:00:00',
      ordering: 'timestamp_end',
      page: 'last',
    }),
    one('with category, with object, any duration, last page', {
      ...anyDuration,
      category__isnull: 'false',
      object_type__model__isnull: 'false',
      page: 'last',
    }),
  ]
}
