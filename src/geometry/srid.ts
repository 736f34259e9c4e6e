/** SRIDs of systems with the same x and y as another one. In all of them the east is before the north. */
const SAME: ReadonlyMap<number, number> = new Map([
  [0, 4326], // CRS84 and CRS84h, and no name
  [4979, 4326], // WGS 84 with a height
  [4258, 4326], // ETRS89, which is less than a metre from WGS 84
  [4937, 4326], // ETRS89 with a height
  [7415, 28992], // RD with a height above NAP
])

/** Returns the SRID of a system for x and y only. */
export const planeOf = (srid: number): number => SAME.get(srid) ?? srid

/** Tests if a system has longitude and latitude in degrees. */
export const isDegrees = (srid: number): boolean => planeOf(srid) === 4326

const CRS_NAME = /(?:^|[:/])(?:EPSG(?:\.xml#|[:/]+(?:[\d.]*[:/])?)(\d{1,9})|CRS:?84h?)$/i

/**
 * Returns the SRID in the name of a reference system, and 0 for CRS84. The name is a URN or a URL, with or without a
 * version, or a short name such as EPSG:4326. Returns null for any other name.
 */
export const sridNamed = (name: string): number | null => {
  const found = CRS_NAME.exec(name.trim())
  return found && Number(found[1] ?? 0)
}

/**
 * Returns the SRID that a `crs` member of GeoJSON 2008 names. Without the member it is 0. Returns null for an unknown
 * name.
 */
export const sridOfCrs = (crs: unknown): number | null => {
  if (crs === undefined || crs === null) return 0
  const { properties } = crs as { properties?: { name?: unknown } | null } // undefined for a text or a number
  const name = typeof crs === 'string' ? crs : properties?.name
  return typeof name === 'string' ? sridNamed(name) : null
}

/** Tests if a `crs` member is absent, or names a system in degrees. */
export const isInDegrees = (crs: unknown): boolean => {
  const srid = sridOfCrs(crs)
  return srid !== null && isDegrees(srid)
}
