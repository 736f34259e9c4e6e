import type { TestProject } from 'vitest/node'
import { buildWorker } from '../seed/local/worker.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The deployed module of the Worker. A run builds it once for all files. */
    worker: string
  }
}

/** The projects of a run share what is global, and not this module. */
const shared = globalThis as { builtWorker?: string }

/** Builds the Worker before the first file. */
export default ({ provide }: TestProject): void => {
  shared.builtWorker ??= buildWorker()
  provide('worker', shared.builtWorker)
}
