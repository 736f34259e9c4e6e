import { env } from 'cloudflare:workers'

/** Reads a text file by its path from the project's root, and decompresses *.gz. Null: there is no such file. */
export async function readText(path: string): Promise<string | null> {
  const response = await env.TEST_FILES.fetch(`http://files/?path=${encodeURIComponent(path)}`)
  return response.ok ? response.text() : null
}

/** Reads text files of a folder. Gives the texts by the names. */
export async function readTexts(folder: string, names: readonly string[]): Promise<Record<string, string>> {
  const texts = await Promise.all(names.map((name) => readText(`${folder}/${name}`)))
  return Object.fromEntries(names.map((name, i) => [name, texts[i] ?? '']))
}

/** Lists the names of the files in a folder. None: there is no such folder. */
export async function namesIn(folder: string): Promise<string[]> {
  return JSON.parse((await readText(folder)) ?? '[]')
}

/** The default data, with one JSON record per line. */
export const SEED = (await readText('seed/seed.ndjson.gz')) ?? ''
