import { SingleBar } from 'cli-progress'

/** Starts a progress bar. Without a terminal, it only prints the task. */
export const bar = (stage: string, total: number): SingleBar => {
  const format = `${stage} {bar} {value}/{total} {duration} s`
  const made = new SingleBar({ format, clearOnComplete: true, hideCursor: true, stream: process.stderr })
  if (!process.stderr.isTTY) console.error(`${stage} ${total}`)
  made.start(total, 0)
  return made
}
