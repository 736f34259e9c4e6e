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

declare module 'proj4/lib/datumUtils.js' {
  /** On an ellipsoid: x and y in radians. Around the centre of the earth: x, y and z in metres. */
  type Point = { x: number; y: number; z?: number }
  export const geodeticToGeocentric: (geodetic: Point, es: number, a: number) => Point
  /** `type` is 2 for seven parameters: three in metres, three in radians, one factor. */
  export const geocentricToWgs84: (geocentric: Point, type: 2, parameters: readonly number[]) => Point
  export const geocentricFromWgs84: (geocentric: Point, type: 2, parameters: readonly number[]) => Point
  export const geocentricToGeodetic: (geocentric: Point, es: number, a: number, b: number) => Point
}
