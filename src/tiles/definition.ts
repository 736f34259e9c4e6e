import { sizeOf, type TileMatrixSet } from './matrix.ts'

/** The width and height of a tile in pixels. The registered tile matrix sets use this size. */
const PIXELS = 256
/** The size of a pixel of a standard display, in metres. */
const PIXEL = 0.00028
/** The number of defined levels. */
const LEVELS = 25

/** Writes a tile matrix set as JSON (OGC 17-083r4). */
export const definitionOf = (set: TileMatrixSet): object => ({
  id: set.id,
  title: set.title,
  uri: set.uri,
  crs: set.crs,
  orderedAxes: set.axes,
  wellKnownScaleSet: set.scales,
  tileMatrices: Array.from({ length: LEVELS }, (_, level) => {
    const [across, down] = sizeOf(set, level)
    const cellSize = set.width / (across * PIXELS)
    return {
      id: String(level),
      scaleDenominator: (cellSize * set.metres) / PIXEL,
      cellSize,
      cornerOfOrigin: 'topLeft',
      pointOfOrigin: set.origin,
      tileWidth: PIXELS,
      tileHeight: PIXELS,
      matrixWidth: across,
      matrixHeight: down,
    }
  }),
})
