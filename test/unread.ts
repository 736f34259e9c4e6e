const answers = new Set<Response>()

/** Remembers an answer that a test may leave unread. */
export const remember = (answer: Response): Response => {
  if (answer.body !== null) answers.add(answer)
  return answer
}

/**
 * Cancels the answers that nobody read. The test files of a worker share its modules, and a stream without a reader
 * keeps its share of the room for answers for an hour.
 */
export const cancelUnread = async (): Promise<void> => {
  const unread = [...answers].filter(({ bodyUsed }) => !bodyUsed)
  answers.clear()
  for (const { body } of unread) await body?.cancel().catch(() => {})
}
