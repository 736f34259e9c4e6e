import { describe, expect, it } from 'vitest'
import {
  answer,
  apiKeys,
  bearer,
  beginWithSeed,
  get,
  type KEYS,
  post,
  publicSeries,
  seedSeries,
  send,
  withKey,
} from '../service.ts'

beginWithSeed()

const SERIES = '/api/v4/eventseries/'
const basic = (user: string, password: string) => ({ Authorization: `Basic ${btoa(`${user}:${password}`)}` })
const CHALLENGE = 'Bearer realm="api", Basic realm="api", charset="UTF-8"'

describe('a key', () => {
  const seen = (level: number) => seedSeries.filter(({ access_modifier }) => access_modifier <= level).length

  it.each([
    ['common', bearer('common'), 100],
    ['private', bearer('private'), 200],
    ['hidden', bearer('hidden'), 300],
    ['writer', bearer('writer'), 200],
    ['bearer in lower case', { Authorization: 'bearer   private ' }, 200],
    ['as the password of __key__', basic('__key__', 'private'), 200],
    ['as the password of __key__, basic in lower case', { Authorization: `basic ${btoa('__key__:hidden')}` }, 300],
  ])('%s', async (_, headers, level) => {
    expect((await get(SERIES, { headers, vars: { API_KEYS: await apiKeys() } })).count).toBe(seen(level))
  })

  it.each<[string, HeadersInit]>([
    ['unknown', bearer('nope')],
    ['unknown, as a password', basic('__key__', 'nope')],
    ['of another user', basic('admin', 'private')],
    ['as the user', basic('private', '')],
    ['empty', { Authorization: 'Bearer ' }],
    ['of another scheme', { Authorization: 'Token private' }],
    ['without a scheme', { Authorization: 'private' }],
    ['not base64', { Authorization: 'Basic !' }],
    ['in another case', bearer('PRIVATE')],
    ['__proto__', bearer('__proto__')],
  ])('%s: a 401 at every path', async (_, headers) => {
    const vars = { API_KEYS: await apiKeys() }
    for (const path of ['/', '/api/v3/', SERIES, `${SERIES}99fe5d0/`, '/api/v3/events/?nope=1']) {
      const response = await send(path, { headers, vars })
      expect([response.status, response.headers.get('WWW-Authenticate')]).toEqual([401, CHALLENGE])
      expect(await response.json()).toEqual({
        detail:
          'Invalid key. Send Authorization: Bearer <key>, or HTTP Basic with the user __key__ and the key as password.',
      })
    }
  })

  it.each([undefined, '', '{}'])('is a 401 if API_KEYS is %j', async (API_KEYS) => {
    const vars = API_KEYS === undefined ? {} : { API_KEYS }
    expect((await send(SERIES, { headers: bearer('private'), vars })).status).toBe(401)
  })

  it('reads the level Common if its entry says less', async () => {
    const [digest = ''] = Object.keys(JSON.parse(await apiKeys()))
    const API_KEYS = JSON.stringify({ [digest]: { read: 'Public' } })
    expect((await get(SERIES, { headers: bearer('common'), vars: { API_KEYS } })).count).toBe(seen(100))
  })

  const withRights = async (rights: object) => {
    const [digest = ''] = Object.keys(JSON.parse(await apiKeys()))
    const vars = { API_KEYS: JSON.stringify({ [digest]: rights }) }
    return answer(SERIES, { headers: bearer('common'), vars })
  }
  const dayFromNow = (days: number) => new Date(Date.now() + 86_400_000 * days).toISOString().slice(0, 10)

  it.each([0, 1])('works until the end of the day that it expires, here in %i days', async (days) => {
    expect(await withRights({ expires: dayFromNow(days) })).toMatchObject({ status: 200 })
  })

  it('is a 401 that says so if it has expired', async () => {
    const expires = dayFromNow(-1)
    const detail = `The key expired at the end of ${expires} (UTC). Ask for a new key.`
    expect(await withRights({ expires })).toEqual({ status: 401, body: { detail } })
  })

  it.each([
    { expires: 'soon' },
    { expires: '9999-1-1' },
    { series: [] },
    { series: null },
    { series: '99fe5d03' },
    { series: ['99fe5d03', '99fe5d0'] },
    { series: ['99fe5d03', ''] },
    { series: ['99fe5d03', 5] },
  ])('with %j does not work, because nobody knows its rights', async (rights) => {
    expect(await withRights(rights)).toMatchObject({ status: 500 })
  })

  it('works from API_KEYS_2 and later secrets, because one secret has limited space', async () => {
    const all = Object.entries(JSON.parse(await apiKeys()))
    const [one, two, ten] = [all.slice(0, 1), all.slice(1, 2), all.slice(2)].map((some) =>
      JSON.stringify(Object.fromEntries(some)),
    )
    const vars = { API_KEYS: one ?? '', API_KEYS_2: two ?? '', API_KEYS_10: ten ?? '' }
    for (const [key, level] of Object.entries({ common: 100, private: 200, hidden: 300 }))
      expect((await get(SERIES, { headers: bearer(key), vars })).count).toBe(seen(level))
    expect((await send(SERIES, { headers: bearer('nope'), vars })).status).toBe(401)
  })

  it('is a 401 if a client sends its digest instead', async () => {
    const API_KEYS = await apiKeys()
    for (const digest of Object.keys(JSON.parse(API_KEYS)))
      expect((await send(SERIES, { headers: bearer(digest), vars: { API_KEYS } })).status).toBe(401)
  })

  it.each(['/', SERIES, '/openapi.json', '/ogc/collections'])('over plain http to %s is a 403', async (path) => {
    const { headers, vars } = await withKey('private')
    const ask = async (visitor: Record<string, string>, key = headers) =>
      answer(path, { headers: { ...key, ...visitor }, vars: vars ?? {} })
    const refused = await ask({ 'CF-Visitor': '{"scheme":"http"}' })
    expect([refused.status, refused.body]).toMatchObject([403, { detail: expect.stringMatching(/Ask for a new key/) }])
    expect((await ask({ 'CF-Visitor': '{"scheme":"http"}' }, bearer('wrong'))).status).toBe(403)
    expect((await ask({ 'CF-Visitor': '{"scheme":"http"}' }, {})).status).toBe(200)
    expect((await ask({ 'CF-Visitor': '{"scheme":"https"}' })).status).toBe(200)
  })

  it('is a 401 and stores nothing if it is unknown', async () => {
    const { headers, ...form } = post('category=Climb')
    expect((await send('/api/v3/events/', { ...form, headers: { ...headers, ...bearer('nope') } })).status).toBe(401)
  })
})

describe('writing', () => {
  const bodies: [string | undefined, string | Uint8Array][] = [
    ['application/json', '{"name": 5}'],
    ['multipart/form-data; boundary=x', '--x--'],
    ['text/plain', 'category=Climb'],
    [undefined, new Uint8Array([1])],
  ]
  type Key = keyof typeof KEYS | null
  const status = async (key: Key, path: string, method: string, type?: string, body?: BodyInit) => {
    const { headers, ...rest } = key === null ? {} : await withKey(key)
    const init = { ...rest, method, body: body ?? null, headers: { ...headers, ...(type && { 'Content-Type': type }) } }
    const response = await send(path, init)
    return [response.status, response.headers.get('WWW-Authenticate')]
  }

  it.each(['/api/v3/events/', '/api/v3/eventseries/', SERIES])('%s', async (path) => {
    for (const [type, body] of bodies) {
      expect(await status(null, path, 'POST', type, body)).toEqual([401, CHALLENGE])
      expect(await status('common', path, 'POST', type, body)).toEqual([403, null])
      expect(await status('hidden', path, 'POST', type, body)).toEqual([403, null])
      expect(await status('writer', path, 'POST', type, body)).toEqual([type === 'application/json' ? 400 : 415, null])
    }
  })

  it.each(['/api/v3/events/1/', '/api/v3/events/999999/', `${SERIES}99fe5d03-893d-5b20-8244-b9189db33e37/`])(
    '%s',
    async (path) => {
      for (const [method, type, body] of [['DELETE'], ['PATCH', 'application/json', '{}']] as const) {
        expect(await status(null, path, method, type, body)).toEqual([401, CHALLENGE])
        expect(await status('hidden', path, method, type, body)).toEqual([403, null])
      }
    },
  )

  it('an observation type cannot be changed with any key', async () => {
    for (const key of [null, 'hidden', 'writer'] as const)
      expect(await status(key, '/api/v3/observationtypes/1/', 'PATCH', 'application/json', '{}')).toEqual([405, null])
  })

  it('without the right key, or the right type of content, says what to do', async () => {
    const write = { method: 'POST', body: '{}' }
    const detailOf = async (path: string, options: object) => (await answer(path, { ...write, ...options })).body
    expect(await detailOf(SERIES, {})).toEqual({
      detail: 'Writing needs a key. Send the header Authorization: Bearer <key>. To query, post a form.',
    })
    expect(await detailOf(SERIES, await withKey('common'))).toEqual({
      detail: 'This key may only read. Use a key that may write.',
    })
    expect(await detailOf(SERIES, await withKey('writer'))).toEqual({
      detail: 'Set Content-Type to application/json or application/geo+json or application/x-www-form-urlencoded.',
    })
  })
})

describe('ANONYMOUS_LEVEL', () => {
  it.each([
    ['', 0],
    ['Public', 0],
    ['Common', 100],
    ['private', 200],
    ['HIDDEN', 300],
  ])('%j sets the level of a caller without a key', async (ANONYMOUS_LEVEL, level) => {
    const { count } = await get(SERIES, { vars: { ANONYMOUS_LEVEL } })
    expect(count).toBe(seedSeries.filter(({ access_modifier }) => access_modifier <= level).length)
  })

  it('does not lower the level of a key, and a key does not lower it', async () => {
    const { headers = {}, vars } = await withKey('common')
    const count = async (ANONYMOUS_LEVEL: string) =>
      (await get(SERIES, { headers, vars: { ...vars, ANONYMOUS_LEVEL } })).count
    expect(await count('Public')).toBe(publicSeries.length + 1)
    expect(await count('Hidden')).toBe(seedSeries.length)
  })
})
