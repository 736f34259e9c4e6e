import { join } from 'node:path'
import { build } from 'esbuild'
import type { Bbox } from '../../src/geometry/bbox.ts'
import { LoadError, reasonOf } from '../load/error.ts'

export interface Crs {
  readonly srid: number
  /** Converts a position to longitude and latitude. Throws an error that names the fault in the position. */
  readonly toDegrees: (position: readonly number[]) => readonly number[]
  /** The area of use in degrees: west, south, east, north. */
  readonly domain: Bbox
  /** The form of its positions, for messages. */
  readonly expected: string
}

/**
 * Returns the reference system with an EPSG code. Throws LoadError unless `geom_within` accepts the code. `source` tells
 * where the code is from, such as `--crs`.
 */
export async function crsOf(srid: number, source: string): Promise<Crs> {
  const { toLonLat, fromLonLat, domainOf } = await load()
  const toDegrees: Crs['toDegrees'] = (position) => {
    const moved = toLonLat({ type: 'Point', coordinates: [...position] }, srid)
    return moved.type === 'Point' ? moved.coordinates : []
  }
  try {
    const domain = domainOf(srid)
    const [west, south, east, north] = domain
    const middle = fromLonLat([(west + east) / 2, (south + north) / 2], srid) ?? []
    const expected = `[x, y] or [x, y, z] in EPSG:${srid}, such as ${JSON.stringify(middle.map(Math.round))}`
    return { srid, toDegrees, domain, expected }
  } catch (error) {
    throw new LoadError(`${source} is EPSG:${srid}: ${reasonOf(error)}`)
  }
}

/** Bundles the module. Its imports of proj4 have no file extensions, and Node needs them. */
async function load(): Promise<typeof import('../../src/geometry/crs.ts')> {
  const entry = join(import.meta.dirname, '../../src/geometry/crs.ts')
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, format: 'esm', write: false })
  const code = Buffer.concat(outputFiles.map(({ contents }) => contents))
  return import(`data:text/javascript;base64,${code.toString('base64')}`)
}
