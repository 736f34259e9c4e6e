import { buildModule } from '../../seed/serve/build.ts'
import { startWorker } from '../worker.ts'
import { type Measured, measure, measurePlain, median, Refused } from './measure.ts'
import { isPlain } from './plain.ts'
import { bar } from './progress.ts'
import type { Kind, Workload } from './workloads.ts'

/** The cost of one request, and the milliseconds of a bare round trip just before. */
export interface Taken {
  readonly workload: Workload
  readonly answer: Measured
  readonly bare: number
}

/** The costs of the successful requests of a kind, and the messages of the refused ones. */
export interface KindLine {
  readonly kind: Kind
  readonly taken: readonly Taken[]
  readonly refused: readonly string[]
}

const REPETITIONS = 3
/** The status of a page after the last page. It is not measured. */
const NO_PAGE = 404
/** The number of requests of each kind that the plain implementation checks. */
const CHECKED = 3

/** Measures all requests of some kinds with the Worker, each after some bare round trips. */
export async function kindsAtWorker(script: string, folder: string, kinds: readonly Kind[]): Promise<KindLine[]> {
  const service = await startWorker(script, folder, { SHOW_COST: 'true' }, true, true)
  const progress = bar('the Worker', kinds.length)
  const lines: KindLine[] = []
  try {
    for (const kind of kinds) {
      lines.push(await measureKind(service.address, kind))
      progress.increment()
    }
  } finally {
    progress.stop()
    await service.close()
  }
  return lines
}

const measureKind = async (address: string, kind: Kind): Promise<KindLine> => {
  const taken: Taken[] = []
  const refused: string[] = []
  for (const workload of kind.requests) {
    const bare = [await bareTrip(address), await bareTrip(address), await bareTrip(address)]
    try {
      const answer = await measure(address, workload, REPETITIONS)
      if (answer !== null) taken.push({ workload, answer, bare: median(bare) })
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      if (error.status !== NO_PAGE) refused.push(error.message)
    }
  }
  return { kind, taken, refused }
}

const bareTrip = async (address: string): Promise<number> => {
  const started = performance.now()
  await (await fetch(`${address}/readyz`)).arrayBuffer()
  return performance.now() - started
}

/**
 * Returns the requests for which the plain implementation has another count or other rows. It checks a few requests of
 * each kind.
 */
export async function differingKinds(folder: string, lines: readonly KindLine[]): Promise<string[]> {
  const service = await startWorker(buildModule('test/bench/plain.ts').script, folder, {}, true, true)
  const progress = bar('the plain way', lines.length)
  const wrong: string[] = []
  try {
    for (const { taken } of lines) {
      const checked = taken.filter(({ workload }) => isPlain(workload)).slice(0, CHECKED)
      for (const { workload, answer } of checked) {
        const plain = await measurePlain(service.address, workload, 0)
        const resultOf = ({ count, ids }: Measured) => JSON.stringify([count, ids])
        if (resultOf(plain) !== resultOf(answer))
          wrong.push(`${workload.name} ${JSON.stringify(workload.query).slice(0, 300)}`)
      }
      progress.increment()
    }
  } finally {
    progress.stop()
    await service.close()
  }
  return wrong
}
