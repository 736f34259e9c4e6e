import { expect, it } from 'vitest'
import { type Allowed, isAllowed } from './allowed.ts'
import { differencesOf } from './differences.ts'

const request = { method: 'GET', path: '/api/v3/events/?page=2', headers: { Prefer: 'handling=lenient' }, body: null }
const answerOf = (body: unknown, headers = {}, status = 200) => ({
  status,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

it.each([
  ['a status', answerOf('', {}, 200), answerOf('', {}, 404), ['status: 200 -> 404']],
  ['a new header', answerOf(''), answerOf('', { etag: 'a' }), ['header etag: (none) -> a']],
  ['a value', answerOf({ a: [1, { b: 2 }] }), answerOf({ a: [1, { b: '2' }] }), ['body.a[1].b: number 2 -> string 2']],
  ['a missing item', answerOf([1, 2]), answerOf([1]), ['body[1]: 2 -> (none)']],
  ['the order of members', answerOf({ a: 1, b: 2 }), answerOf({ b: 2, a: 1 }), ['order of body: a,b -> b,a']],
  ['the spaces of JSON', answerOf('[1]'), answerOf('[ 1 ]'), ['body: [1] -> [ 1 ]']],
  ['a line of a text', answerOf('a\nb'), answerOf('a\nc'), ['body line 2: b -> c']],
  ['the number of lines', answerOf('a'), answerOf('a\nc'), ['body: a -> a\nc']],
])('finds %s', (_, before, after, found) => {
  expect(differencesOf(before, before)).toEqual([])
  expect(differencesOf(before, after).map(({ part, before, after }) => `${part}: ${before} -> ${after}`)).toEqual(found)
})

it.each<[Partial<Allowed>, boolean]>([
  [{}, true],
  [{ method: 'HEAD|GET' }, true],
  [{ method: 'HEAD' }, false],
  [{ path: 'page=3' }, false],
  [{ sent: '^prefer: .*lenient' }, true],
  [{ sent: '^accept: ' }, false],
  [{ part: 'body.results[*].value' }, true],
  [{ part: 'body.results[1].value' }, false],
  [{ part: 'body.results' }, false],
  [{ part: '*' }, true],
  [{ before: 'the old name, old' }, true],
  [{ before: 'old' }, false],
  [{ before: 'n old', after: 'new' }, false],
  [{ before: 'old', after: 'new' }, true],
  [{ before: 'old', after: 'older' }, false],
  [{ after: 'the new name, new' }, true],
])('a difference with the rule %j: %j', (rule, expected) => {
  const difference = { part: 'body.results[0].value', before: 'the old name, old', after: 'the new name, new' }
  expect(isAllowed({ path: '^/api/v3/events/', part: 'body*', ...rule }, request, difference)).toBe(expected)
})
