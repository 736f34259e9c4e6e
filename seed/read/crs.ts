import { join } from 'node:path'
import { build } from 'esbuild'
import { LoadError } from '../load/error.ts'

/** From a position in a reference system to longitude and latitude. Throws an error with what is wrong with it. */
export type ToDegrees = (position: readonly number[]) => readonly number[]

interface Crs {
  readonly toLonLat: (
    point: { type: 'Point'; coordinates: readonly number[] },
    srid: number,
  ) => { coordinates: readonly number[] }
}

/** Of each reference system that `geom_within` takes, by its EPSG code, what it does. Throws LoadError for another. */
export async function degreesFrom(srid: number): Promise<ToDegrees> {
  const { toLonLat } = await load()
  const toDegrees: ToDegrees = (coordinates) => toLonLat({ type: 'Point', coordinates }, srid).coordinates
  try {
    toDegrees([])
  } catch (error) {
    throw new LoadError(`--crs is ${srid}: ${error instanceof Error ? error.message : error}`)
  }
  return toDegrees
}

/** Bundled as in the Worker: proj4 names the files that this takes of it without their endings, as Node does not. */
async function load(): Promise<Crs> {
  const entry = join(import.meta.dirname, '../../src/geometry/crs.ts')
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, format: 'esm', write: false })
  const text = outputFiles[0]?.text ?? ''
  return import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`)
}
