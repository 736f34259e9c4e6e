import type { TestProject } from 'vitest/node'
import { builtNode, builtWorker } from '../seed/serve/build.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The deployed module of the Worker. */
    worker: string
  }
}

/** The projects of a run share what is global, and not this module. */
const shared = globalThis as { built?: Promise<unknown> }

/** Builds what `npm run serve` serves, before the first file. */
export default async ({ provide }: TestProject): Promise<void> => {
  provide('worker', builtWorker())
  shared.built ??= builtNode()
  await shared.built
}
