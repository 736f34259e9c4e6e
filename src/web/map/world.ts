import type { LngLat, Map as MapLibre } from 'maplibre-gl'

/** The part of MapLibre's transform that limits a view. */
interface Transform {
  readonly width: number
  readonly height: number
  readonly minZoom: number
  readonly maxZoom: number
  getConstrained: (center: LngLat, zoom: number) => { readonly center: LngLat; readonly zoom: number }
}

const LIMITED = new WeakSet<Transform>()

/** The width of the world at zoom 0, in pixels. */
const WORLD = 512

/**
 * Shows the world once, and as a whole if the user zooms out. Without copies of the world, MapLibre 5.9 would zoom in
 * until the world fills the map, and has no option against that. MapLibre copies its transforms, so the change is in
 * their prototype.
 */
export const showWholeWorld = (map: MapLibre): void => {
  const transform: Transform = Object.getPrototypeOf(map.transform)
  if (LIMITED.has(transform)) return
  LIMITED.add(transform)
  transform.getConstrained = function (this: Transform, center, zoom) {
    const least = Math.max(this.minZoom, Math.log2(Math.min(this.width, this.height) / WORLD) || 0)
    const limited = Math.max(least, Math.min(this.maxZoom, zoom))
    const side = WORLD * 2 ** limited
    const x = within((center.lng + 180) / 360, this.width / side)
    const y = within(0.5 - Math.asinh(Math.tan(center.lat * DEGREE)) / (2 * Math.PI), this.height / side)
    const LngLat = center.constructor as new (lng: number, lat: number) => LngLat
    return { center: new LngLat(x * 360 - 180, Math.atan(Math.sinh(Math.PI * (1 - 2 * y))) / DEGREE), zoom: limited }
  }
}

const DEGREE = Math.PI / 180

/** Limits the middle of a view to the world. `size` is the part of the world in view. */
const within = (middle: number, size: number): number =>
  size >= 1 ? 0.5 : Math.max(size / 2, Math.min(1 - size / 2, middle))
