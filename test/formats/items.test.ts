import { describe, expect, it, vi } from 'vitest'
import { unavailable } from '../../src/base/errors.ts'
import { DataChanged, type Row } from '../../src/engine/engine.ts'
import { type ItemsFormat, streamOf } from '../../src/formats/items.ts'

const LINES: ReturnType<ItemsFormat['list']> = {
  before: '',
  each: ({ id }) => `${id}\n`,
  between: '',
  after: (returned) => `${returned} sent\n`,
}

/** Yields batches of one row. The read of one batch fails. */
async function* rows(
  failsAt = Number.POSITIVE_INFINITY,
  error = new Error('no more'),
): AsyncGenerator<readonly Row[], void> {
  for (let id = 1; id <= 3; id++) {
    if (id === failsAt) throw error
    yield [{ id }]
  }
}

const streamed = (batches: AsyncGenerator<readonly Row[], void>) => streamOf(LINES, batches)

describe('a streamed answer', () => {
  it('has all rows when it is read to its end', async () => {
    const { body, sent } = streamed(rows())
    expect([await new Response(body).text(), await sent]).toEqual(['1\n2\n3\n3 sent\n', 'whole'])
  })

  it.each([1, 2, 3])('breaks the connection if batch %d fails, so the client notices', async (failsAt) => {
    const { body, sent } = streamed(rows(failsAt))
    await expect(new Response(body).text()).rejects.toThrow()
    expect(await sent).toBe('broken')
  })

  it('reads rows only as fast as the client takes them', async () => {
    let read = 0
    async function* batches(): AsyncGenerator<readonly Row[], void> {
      for (read = 1; read <= 100; read++) yield [{ id: 'x'.repeat(99_999) }]
    }
    const { body } = streamed(batches())
    const reader = body.getReader()
    // A row has two pieces. One waits for the client, and one is read in advance.
    for (let taken = 0; taken < 10; taken++) {
      await scheduler.wait(5)
      expect(read).toBeLessThanOrEqual(taken + 3)
      await reader.read()
    }
    await reader.cancel()
  })

  it('stops reading when the client leaves', async () => {
    const batches = rows()
    const { body, sent } = streamed(batches)
    const reader = body.getReader()
    await reader.read()
    await reader.cancel()
    expect([await sent, await batches.next()]).toEqual(['left', { done: true, value: undefined }])
  })
})

it.each([
  ['an error of the code', new Error('no more'), 1],
  ['a change of the data', new DataChanged(), 0],
  ['an unavailable database, which is logged already,', unavailable(), 0],
])('%s breaks the answer off and is logged at most once', async (_, error, times) => {
  const said = vi.spyOn(console, 'error').mockImplementation(() => {})
  const { body } = streamed(rows(2, error))
  await expect(new Response(body).text()).rejects.toMatchObject({ retryable: true })
  expect(said.mock.calls.length).toBe(times)
  said.mockRestore()
})
