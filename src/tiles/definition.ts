import { sizeOf, type TileMatrixSet } from './matrix.ts'

/** What a tile is wide and high in pixels of its scale, as the registered sets have it. */
const PIXELS = 256
/** The side of a pixel of a standard display, in metres. */
const PIXEL = 0.00028
/** How many levels are defined. */
const LEVELS = 25

/** A tile matrix set as its standard writes it (OGC 17-083r4, JSON). */
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
