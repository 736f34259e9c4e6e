import { distanceOf, type LonLat } from '../filters/near.ts'
import type { ItemMember } from '../model/members.ts'
import { NUMBER } from '../model/schema.ts'
import type { Resource } from '../resource.ts'
import { withDistance } from './fields.ts'

/** Returns a list whose flat items have their distance from a position. */
export const measuring = (resource: Resource, centre: LonLat): Resource => {
  const { csv, flat } = resource
  const distance: ItemMember = { name: 'distance', schema: NUMBER, write: (row) => distanceOf(centre, { ...row }) }
  return {
    ...resource,
    csv: [...csv, distance],
    ...(flat && {
      flat: {
        ...flat,
        schema: withDistance(flat.schema),
        of: (row, links) => ({ ...flat.of(row, links), distance: distanceOf(centre, row) }),
      },
    }),
  }
}
