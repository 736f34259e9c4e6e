import { type Message, messageOf, zigzag } from './bytes.ts'

/** A position in units of the tile. x grows to the east and y to the south, from the north-west corner. */
export type Point = readonly [x: number, y: number]

/** The properties of a feature. A null is left out of the tile. */
export type TileProperties = Readonly<Record<string, string | number | boolean | null>>

/**
 * A point or a polygon. The first ring of a polygon is clockwise on the screen, and holes are anticlockwise. The last
 * point of a ring does not repeat the first.
 */
export interface TileFeature {
  /** An integer, 0 or greater. */
  readonly id?: number
  readonly properties: TileProperties
  readonly shape: { readonly point: Point } | { readonly rings: readonly (readonly Point[])[] }
}

export interface TileLayer {
  readonly name: string
  readonly features: readonly TileFeature[]
}

/** The width and height of a tile in its units. */
export const EXTENT = 4096
export const MVT = 'application/vnd.mapbox-vector-tile'

const VERSION = 2
const [MOVE_TO, LINE_TO, CLOSE] = [1, 2, 7]
const [POINT, POLYGON] = [1, 3]

/** Encodes layers as a vector tile (Mapbox Vector Tile 2.1). The format requires that empty layers are left out. */
export const encodeTile = (layers: readonly TileLayer[]): Uint8Array<ArrayBuffer> =>
  messageOf((tile) => {
    for (const layer of layers) if (layer.features.length > 0) tile.message(3, (message) => writeLayer(message, layer))
  })

const writeLayer = (message: Message, { name, features }: TileLayer): void => {
  const keys = numbering<string>()
  const values = numbering<string | number | boolean>()
  message.text(1, name)
  for (const { id, properties, shape } of features) {
    const tags = Object.entries(properties).flatMap(([key, value]) =>
      value === null ? [] : [keys.numberOf(key), values.numberOf(value)],
    )
    message.message(2, (feature) => {
      if (id !== undefined) feature.number(1, id)
      feature.packed(2, tags)
      feature.number(3, 'point' in shape ? POINT : POLYGON)
      feature.packed(4, 'point' in shape ? pointOf(shape.point) : ringsOf(shape.rings))
    })
  }
  for (const key of keys.all()) message.text(3, key)
  for (const value of values.all()) message.message(4, (written) => writeValue(written, value))
  message.number(5, EXTENT)
  message.number(15, VERSION)
}

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

const writeValue = (message: Message, value: string | number | boolean): void => {
  if (typeof value === 'string') message.text(1, value)
  else if (typeof value === 'boolean') message.number(7, value ? 1 : 0)
  else if (!Number.isSafeInteger(2 * value)) message.double(3, value)
  else if (value < 0) message.number(6, zigzag(value))
  else message.number(5, value)
}

const command = (id: number, count: number): number => id | (count << 3)

const pointOf = ([x, y]: Point): number[] => [command(MOVE_TO, 1), zigzag(x), zigzag(y)]

const ringsOf = (rings: readonly (readonly Point[])[]): number[] => {
  let [fromX, fromY] = [0, 0]
  const step = ([x, y]: Point): number[] => {
    const steps = [zigzag(x - fromX), zigzag(y - fromY)]
    fromX = x
    fromY = y
    return steps
  }
  return rings.flatMap(([first, ...others]) =>
    first === undefined
      ? []
      : [
          command(MOVE_TO, 1),
          ...step(first),
          command(LINE_TO, others.length),
          ...others.flatMap(step),
          command(CLOSE, 1),
        ],
  )
}
