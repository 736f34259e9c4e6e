// proj4 types its whole package only, and the whole is several times as large in the bundle as the files that crs.ts needs.

declare module 'proj4/lib/projections/*' {
  /** To be called as methods of an object that has the parameters beside them, `init` first. */
  const projection: {
    init: () => void
    /** From metres to radians; may change its argument, null where it finds no answer. */
    inverse: (point: { x: number; y: number }) => { x: number; y: number } | null
    /** From radians to metres; null where there is no place. */
    forward: (point: { x: number; y: number }) => { x: number; y: number } | null
  }
  export default projection
}

declare module 'proj4/lib/datumUtils.js' {
  /** On an ellipsoid, x and y in radians; around the centre of the earth, x, y and z in metres. */
  type Point = { x: number; y: number; z?: number }
  export const geodeticToGeocentric: (geodetic: Point, es: number, a: number) => Point
  /** `type` is 2 for the seven parameters: three of metres, three of radians, one factor. */
  export const geocentricToWgs84: (geocentric: Point, type: 2, parameters: readonly number[]) => Point
  export const geocentricFromWgs84: (geocentric: Point, type: 2, parameters: readonly number[]) => Point
  export const geocentricToGeodetic: (geocentric: Point, es: number, a: number, b: number) => Point
}
