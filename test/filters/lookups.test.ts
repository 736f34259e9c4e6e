import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { events } from '../../src/lists/event.ts'
import { durationOf, expectPace } from '../pace.ts'
import { load, post } from '../service.ts'
import { eventIds, eventOf, observationType, pair, refusal, seriesOf } from './records.ts'

const TEXTS = ['a', `${'a'.repeat(1000)}!`, 'x'.repeat(300), 'tropical storm', 'a long text'.repeat(30)]

beforeAll(() =>
  load([
    ...[observationType, seriesOf(1), seriesOf(2)],
    ...TEXTS.map((category, i) =>
      eventOf(i + 1, { category, value: category, object: { model: 'storm', id: 9 }, end: 9000 * (i % 2) }),
    ),
  ]),
)

describe('regular expressions', () => {
  const SYNTAX =
    'Enter a regular expression in RE2 syntax, such as ^tropical (storm|depression)$. RE2 has no back references and no look-around.'
  const LARGE = 'This expression is too large. Enter smaller repetition counts, such as {0,100}.'
  const LENGTH = 'Enter a regular expression of at most 200 characters.'

  it.each<[string, string]>([
    ...'( [ * a** a{1001} (?=a) (?!a) (?<=a)b (a)\\1 \\ [b-a] ((a{100}){100}){100}'
      .split(' ')
      .map((pattern): [string, string] => [pattern, SYNTAX]),
    ['(.?){1000}', LARGE],
    ['(.?){1000}'.repeat(20), LARGE],
    ['.{0,1000}'.repeat(22), LARGE],
    ['x'.repeat(201), LENGTH],
  ])('%s is a 400 in the time of 400 small requests', async (pattern, message) => {
    const refused = async () => {
      expect(await refusal(pair('category__regex', pattern))).toEqual({ category__regex: [message] })
      expect(await refusal(pair('category__iregex', pattern))).toEqual({ category__iregex: [message] })
    }
    await expectPace(400, () => durationOf(refused))
  })

  it.each(['(a+)+$', '(a|a)*b', '(a*)*b', '(.*)*x', '^(a?){100}a{100}$', 'x'.repeat(200)])(
    '%s is answered in the time of 400 small requests',
    async (pattern) => {
      const looked = () => eventIds(pair('category__regex', pattern))
      await expectPace(400, () => durationOf(looked))
    },
  )
})

describe('numbers', () => {
  it('a million zeros and a letter are a 400 in the time of 400 small requests', async () => {
    const refused = () => refusal('', post(`object_id=${'0'.repeat(1_000_000)}x`))
    await expectPace(400, () => durationOf(refused))
  })
})

describe('limits of filters', () => {
  const lists = [
    ['category__in', 'a'],
    ['event_series__name__in', 'a'],
    ['object_type__model__in', 'storm'],
    ['object_id__in', '9'],
    ['duration__in', '00:00:09'],
    ['event_series', 'c0ffee'],
  ] as const

  it.each(lists)('%s takes 1,000 different values', async (name, value) => {
    const values = Array.from({ length: 1000 }, (_, i) => `${value}${name === 'event_series' ? i.toString(16) : i}`)
    await eventIds('', post(`${name}=${values}`))
  })

  /** Returns a D1 database that records the text of every statement. */
  const watched = <T extends object>(database: T, statements: string[]): T =>
    new Proxy(database, {
      get: (target, key) => {
        const member = Reflect.get(target, key)
        if (typeof member !== 'function') return member
        return (...args: unknown[]) => {
          if (key === 'prepare') statements.push(String(args[0]))
          const result = member.apply(target, args)
          return key === 'withSession' ? watched(result, statements) : result
        }
      },
    })

  it('all parameters of the events together stay within the limits of D1', async () => {
    const members = [...(events.filters.get('attributes')?.members?.('attributes__place') ?? [])]
    const fields = [...events.filters].filter(([name]) => name !== 'attributes')
    // Only so many expressions are allowed.
    const query = [...fields, ...members.slice(0, 20)]
      .filter(([name]) => /^(category|value)__/.test(name) || !/regex(__not)?$/.test(name))
      .map(([name, { example }]) => pair(name, String(example)))
    const statements: string[] = []
    await eventIds(query.join('&'), { vars: { DB: watched(env.DB, statements) } })
    const held = statements.map((statement) => {
      const [numbered, plain] = [statement.match(/\?\d+/g) ?? [], statement.match(/\?(?!\d)/g) ?? []]
      return new Set(numbered).size + plain.length
    })
    const [length, parameters] = [Math.max(...statements.map((statement) => statement.length)), Math.max(...held)]
    expect([length > 30_000, length < 100_000]).toEqual([true, true])
    expect([parameters > 50, parameters < 100]).toEqual([true, true])
  })
})
