import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { loadFiles } from '../seed/load/files.ts'
import { openDatabase } from '../seed/local/database.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder of a local database with the default data. A run loads it once, and each file copies it. */
    seeded: string
  }
}

/** The projects of a run share what is global, and not this module. */
const shared = globalThis as { seededFolder?: string }

/** Loads the default data before the first file. */
export default async ({ provide }: TestProject): Promise<() => void> => {
  shared.seededFolder ??= await makeSeeded()
  const folder = shared.seededFolder
  provide('seeded', folder)
  // Another project may have removed it.
  return () => rmSync(folder, { recursive: true, force: true })
}

const makeSeeded = async (): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'seeded-'))
  const { db, write, close } = await openDatabase(folder)
  await loadFiles(db, [join(import.meta.dirname, '../seed/seed.ndjson.gz')], { write })
  await close()
  return folder
}
