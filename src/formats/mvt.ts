import { PbfWriter } from 'pbf'

/** A position in units of the tile. x grows to the east and y to the south, from the north-west corner. */
export type Point = readonly [x: number, y: number]

/** The properties of a feature. A null is left out of the tile. */
export type TileProperties = Readonly<Record<string, string | number | boolean | null>>

/**
 * A point, or a polygon without holes. Its ring is clockwise on the screen, and the last point does not repeat the
 * first.
 */
export interface TileFeature {
  /** An integer, 0 or greater. */
  readonly id: number
  readonly properties: TileProperties
  readonly shape: { readonly point: Point } | { readonly ring: readonly Point[] }
}

interface TileLayer {
  readonly name: string
  readonly features: readonly TileFeature[]
}

/** The width and height of a tile in its units. */
export const EXTENT = 4096
export const MVT = 'application/vnd.mapbox-vector-tile'

const VERSION = 2
const [MOVE_TO, LINE_TO, CLOSE] = [1, 2, 7] as const
const [POINT, POLYGON] = [1, 3] as const

/** Encodes layers as a vector tile (Mapbox Vector Tile 2.1). The format requires that empty layers are left out. */
export const encodeTile = (layers: readonly TileLayer[]): Uint8Array<ArrayBuffer> => {
  const tile = new PbfWriter()
  for (const layer of layers) if (layer.features.length > 0) tile.writeMessage(3, writeLayer, layer)
  return tile.finish().slice()
}

const writeLayer = ({ name, features }: TileLayer, layer: PbfWriter): void => {
  const keys = numbering<string>()
  const values = numbering<string | number | boolean>()
  writeText(layer, 1, name)
  for (const { id, properties, shape } of features) {
    const tags = Object.entries(properties).flatMap(([key, value]) =>
      value === null ? [] : [keys.numberOf(key), values.numberOf(value)],
    )
    const writeFeature = (_: unknown, feature: PbfWriter): void => {
      feature.writeVarintField(1, id)
      feature.writePackedVarint(2, tags)
      feature.writeVarintField(3, 'point' in shape ? POINT : POLYGON)
      feature.writePackedVarint(4, 'point' in shape ? pointOf(shape.point) : ringOf(shape.ring))
    }
    layer.writeMessage(2, writeFeature, null)
  }
  for (const key of keys.all()) writeText(layer, 3, key)
  for (const value of values.all()) layer.writeMessage(4, writeValue, value)
  layer.writeVarintField(5, EXTENT)
  layer.writeVarintField(15, VERSION)
}

const encoder = new TextEncoder()

/** Writes a text. `writeStringField` of pbf 5.1 writes other characters for those from U+20000, such as 𠮷. */
const writeText = (message: PbfWriter, field: number, text: string): void =>
  message.writeBytesField(field, encoder.encode(text))

/** Gives each distinct value a number from 0, in the order of first use. */
const numbering = <T>() => {
  const numbers = new Map<T, number>()
  return {
    numberOf: (value: T): number => {
      const number = numbers.get(value) ?? numbers.size
      numbers.set(value, number)
      return number
    },
    all: () => numbers.keys(),
  }
}

const writeValue = (value: string | number | boolean, written: PbfWriter): void => {
  if (typeof value === 'string') writeText(written, 1, value)
  else if (typeof value === 'boolean') written.writeBooleanField(7, value)
  else if (!Number.isInteger(value) || !Number.isSafeInteger(2 * value)) written.writeDoubleField(3, value)
  else if (value < 0) written.writeSVarintField(6, value)
  else written.writeVarintField(5, value)
}

/** Encodes a signed integer as an unsigned one: 0, -1, 1, -2 become 0, 1, 2, 3. */
const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value)

const command = (id: number, count: number): number => id | (count << 3)

const pointOf = ([x, y]: Point): number[] => [command(MOVE_TO, 1), zigzag(x), zigzag(y)]

const ringOf = (ring: readonly Point[]): number[] => {
  let [fromX, fromY] = [0, 0]
  const steps = ring.flatMap(([x, y]) => {
    const step = [zigzag(x - fromX), zigzag(y - fromY)]
    fromX = x
    fromY = y
    return step
  })
  const [first, others] = [steps.slice(0, 2), steps.slice(2)]
  return [command(MOVE_TO, 1), ...first, command(LINE_TO, ring.length - 1), ...others, command(CLOSE, 1)]
}
