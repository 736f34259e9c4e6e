import { type Row, testRows } from './oracle.ts'
import { WORLD } from './world.ts'

// Rows without a value, and texts that no row has.

const items = (filter: string) => `/ogc/collections/events/items?limit=1000&filter=${filter}`

const MISSING: readonly Row[] = [
  { asks: items("NOT (object_type LIKE 'zz%')"), finds: [4, 20] },
  { asks: items("NOT (object_type LIKE 'pu%')"), finds: [] },
  { asks: items("CASEI(object_type) <> CASEI('x')"), finds: [4, 20] },
  { asks: items("CASEI(object_type) NOT IN (CASEI('x'))"), finds: [4, 20] },
  { asks: items("NOT (external_id LIKE 'zz%')"), finds: [4, 20] },
  { asks: 'object_type__model__icontains=zz', finds: [] },
  {
    asks: 'geometry__within=GEOMETRYCOLLECTION(POLYGON EMPTY,POLYGON((4 51,6 51,6 53,4 53,4 51)))&id__lte=5',
    finds: [1, 2, 4],
  },
  { asks: 'latest=event_series', finds: [14, 16] },
  { asks: 'latest=event_series&object_type__model__isnull=false', finds: [4] },
  { asks: 'object_type__model__in=', finds: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20] },
]

testRows(WORLD, { 'without a value': MISSING })
