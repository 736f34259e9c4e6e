import type { TestProject } from 'vitest/node'
import { buildWorker } from '../seed/local/worker.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The module of the Worker as it is deployed: built once for all files of a run. */
    worker: string
  }
}

/** Builds the Worker before the first file. */
export default ({ provide }: TestProject): void => provide('worker', buildWorker())
