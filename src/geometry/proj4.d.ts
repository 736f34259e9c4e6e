// proj4 has types for its whole package only. In the bundle, the package is several times as large as the files that
// crs.ts needs.

declare module 'proj4/lib/projections/*' {
  /** Call these as methods of an object that has the parameters. Call `init` first. */
  const projection: {
    init: () => void
    /** Converts metres to radians. May change its argument. Null if there is no result. */
    inverse: (point: { x: number; y: number }) => { x: number; y: number } | null
    /** Converts radians to metres. Null if the system has no such place. */
    forward: (point: { x: number; y: number }) => { x: number; y: number } | null
  }
  export default projection
}

declare module 'proj4/lib/datum_transform.js' {
  /** Converts radians on the ellipsoid of a datum to another. */
  const transform: (from: object, to: object, point: { x: number; y: number }) => { x: number; y: number }
  export default transform
}
