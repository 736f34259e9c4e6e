import type { LngLat, Map as MapLibre } from 'maplibre-gl'

/** The part of MapLibre's transform that limits a view. */
interface Transform {
  getConstrained: (center: LngLat, zoom: number) => { readonly center: LngLat; readonly zoom: number }
  readonly setRenderWorldCopies: (copies: boolean) => void
}

const LIMITED = new WeakSet<Transform>()

/**
 * Lets a map without copies of the world be wider than the world. MapLibre 5.9 would zoom in until the world fills the
 * width, and has no option against that. MapLibre copies its transforms, so the change is in their prototype.
 */
export const showWholeWorld = (map: MapLibre): void => {
  const transform: Transform = Object.getPrototypeOf(map.transform)
  if (LIMITED.has(transform)) return
  LIMITED.add(transform)
  const { getConstrained } = transform
  transform.getConstrained = function (this: Transform, center, zoom) {
    // With copies MapLibre limits the latitude only.
    this.setRenderWorldCopies(true)
    const limited = getConstrained.call(this, center, zoom)
    this.setRenderWorldCopies(false)
    limited.center.lng = Math.max(-180, Math.min(180, limited.center.lng))
    return limited
  }
}
