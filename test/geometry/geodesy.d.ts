declare module 'geodesy/latlon-ellipsoidal-vincenty.js' {
  /** A position on the WGS84 ellipsoid, in degrees. */
  export default class LatLon {
    constructor(latitude: number, longitude: number)
    /** The distance in metres, rounded to millimetres. NaN if the formulae of Vincenty do not converge. */
    distanceTo(other: LatLon): number
  }
}
