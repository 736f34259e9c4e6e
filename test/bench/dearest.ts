import { type Asked, type Ceiling, type ceilingsOf, type Kind, workloadOf } from './ceilings.ts'
import type { Columns } from './columns.ts'
import { filter, textOf } from './draws.ts'
import { box, comb, densified, type Ring, wkt, zigzag } from './shapes.ts'
import { LIST, SUMMARY } from './workloads.ts'

const REPETITIONS = 3
/** A ring around the world except its corners. It has four edges, and none of them is parallel to the equator. */
const QUADRILATERAL: Ring = [
  [-179.9, -89.9],
  [179.9, -89],
  [179, 89.9],
  [-179, 89],
  [-179.9, -89.9],
]

/** Returns the valid requests that were the most expensive ones, or that a limit refused. */
export const dearest = (
  columns: Columns,
  { all, area, fixed, kept, summary }: ReturnType<typeof ceilingsOf>,
): Kind[] => {
  const middle = String(Math.floor(columns.length / 20))
  const late = filter({ timestamp_end__gte: '1900-01-01' }, () => true)
  const anyDuration = filter({ duration__gte: '00:00:00' }, () => true)
  const band = (height: number) => box([0, 0], 360, height)
  const dense = densified([-10, 35], [40, 70], 5000)
  const one = (name: string, ceiling: Ceiling, asked: Asked, to = LIST): Kind => ({
    name: to === SUMMARY ? `summary: ${name}` : name,
    requests: Array.from({ length: REPETITIONS }, () => workloadOf(name, ceiling, asked, to)),
    formula: ceiling.formula,
    trips: 3,
    times: null,
  })
  const withFew = [late, filter({ category__icontains: 'FLOOD' }, (i) => /flood/.test(textOf(columns, i)))]
  return [
    one('quadrilateral, any duration, last page', all, {
      filters: [anyDuration],
      area: QUADRILATERAL,
      query: { page: 'last' },
    }),
    one('quadrilateral, category icontains e, last page by timestamp_end', all, {
      area: QUADRILATERAL,
      query: { category__icontains: 'e', ordering: 'timestamp_end', page: 'last' },
    }),
    one('quadrilateral, last page by -timestamp_end', all, {
      area: QUADRILATERAL,
      query: { ordering: '-timestamp_end', page: 'last' },
    }),
    one('quadrilateral, level=12', summary, { area: QUADRILATERAL, query: { level: '12' } }, SUMMARY),
    one('comb of 99,990 vertices', all, { query: { geom_within: wkt(comb(24_997)) } }),
    one('zigzag of 99,990 vertices', all, { query: { geom_within: wkt(zigzag(99_990)) } }),
    one('northern hemisphere', fixed(6000), { area: box([0, 45], 360, 90) }),
    one('northern hemisphere', summary, { area: box([0, 45], 360, 90) }, SUMMARY),
    one('western hemisphere', fixed(6000), { area: box([-90, 0], 180, 180) }),
    one('band of 2 degrees along the equator', fixed(6000), { area: band(2) }),
    one('band of 0.002 degrees along the equator', fixed(6000), { area: band(0.002) }),
    one('box with 5,000 vertices a side', fixed(6000), { area: dense }),
    one('box with 5,000 vertices a side, late, category icontains', area, { filters: withFew, area: dense }),
    one('any end since 1900, last page', kept, { filters: [late], query: { page: 'last' } }),
    one('any end since 1900, page in the middle by timestamp_start', fixed(400), {
      filters: [late],
      query: { ordering: 'timestamp_start', page: middle },
    }),
    one('longer than nothing, last page by timestamp_end', all, {
      query: { duration__gt: '00:00:00', ordering: 'timestamp_end', page: 'last' },
    }),
    one('with category, with object, any duration, last page', fixed(500), {
      filters: [anyDuration],
      query: { category__isnull: 'false', object_type__model__isnull: 'false', page: 'last' },
    }),
  ]
}
