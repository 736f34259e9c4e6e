import { orUndefined } from '../../src/base/errors.ts'
import { isObject } from '../../src/model/kinds.ts'
import { type Attempt, BUSY, type Received } from './ask.ts'

/** A kind of difference, such as `results[].start: value`, and the value of each service. */
export interface Difference {
  readonly kind: string
  readonly old: string
  readonly new: string
}

/** What two services have. */
type Pair<T> = readonly [old: T, new: T]

const ofBoth = <T, Of>([one, other]: Pair<T>, read: (of: T) => Of): Pair<Of> => [read(one), read(other)]

type Tell = (kind: string, ...values: Pair<unknown>) => void

/** The headers that clients read. Tags and dates differ by nature. */
const HEADERS = ['Content-Type', 'Content-Disposition', 'Link', 'Location']
/** The headers that list names. The order of the names means nothing. */
const LISTS = ['Allow', 'Vary']

/** Parameters with such names may be secret. */
const SECRET = /key|token|secret|passw|auth|signature|session|jwt/i
/** A report shows so many characters of a value. */
const MOST_SHOWN = 160
/** So many of them come before the difference. */
const BEFORE = 60

/** Replaces the values of secret parameters in a path or a text. */
export const withoutSecrets = (text: string): string =>
  text.replace(/([^?&;=\s"<]{1,100})=([^&;\s">]+)/g, (whole, name: string) =>
    SECRET.test(String([...new URLSearchParams(name).keys()])) ? `${name}=...` : whole,
  )

/** Writes two values as texts of one line. It cuts long texts around the difference. */
function shownOf(values: Pair<unknown>): Pair<string> {
  const texts = ofBoth(values, (value) =>
    withoutSecrets(typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none')).replaceAll('\n', ' '),
  )
  const [one, other] = texts
  let same = 0
  while (same < one.length && one[same] === other[same]) same++
  const start = Math.max(one.length, other.length) > MOST_SHOWN ? Math.max(0, same - BEFORE) : 0
  const end = start + MOST_SHOWN
  return ofBoth(texts, (text) => `${start > 0 ? '...' : ''}${text.slice(start, end)}${text.length > end ? '...' : ''}`)
}

/** Returns each kind of difference between two answers once. If the statuses differ, it compares nothing else. */
export function differencesOf(one: Attempt, other: Attempt): Difference[] {
  const found = new Map<string, Difference>()
  const tell: Tell = (kind, ...values) => {
    if (found.has(kind)) return
    const [old, now] = shownOf(values)
    found.set(kind, { kind, old, new: now })
  }
  const outcomes = ofBoth([one, other], (attempt) => ('fault' in attempt ? attempt.fault : `status ${attempt.status}`))
  if (hasFailed(one)) tell('old fails', outcomes[0], outcomes[1])
  if (hasFailed(other)) tell('new fails', outcomes[0], outcomes[1])
  if (!hasFailed(one) && !hasFailed(other)) compareAnswers(one, other, tell)
  return [...found.values()]
}

const hasFailed = (attempt: Attempt): attempt is Exclude<Attempt, Received> =>
  'fault' in attempt || attempt.status >= 500 || attempt.status === BUSY

function compareAnswers(one: Received, other: Received, tell: Tell): void {
  if (one.status !== other.status) {
    const [old, now] = ofBoth([one, other], ({ header, body }) => header('Location') || body.slice(0, MOST_SHOWN))
    tell(`status ${one.status} and ${other.status}`, old, now)
    return
  }
  for (const name of [...HEADERS, ...LISTS]) {
    const [text, otherText] = ofBoth([one, other], ({ header }) => header(name))
    const plain = LISTS.includes(name) ? sorted : String
    if (plain(text) !== plain(otherText)) tell(`header ${name}`, text || 'none', otherText || 'none')
  }
  // The words of an error are for people. Other bodies are read by programs.
  const tellBody: Tell = one.status < 300 ? tell : () => tell(`body of ${one.status}`, one.body, other.body)
  const [value, otherValue] = [jsonOf(one), jsonOf(other)]
  if (value !== undefined && otherValue !== undefined) compareValues('', value, otherValue, tellBody)
  else if (one.isJson === other.isJson) compareLines(one, other, tellBody)
}

const sorted = (names: string): string => [...names.toLowerCase().matchAll(/[^\s,]+/g)].sort().join()

/** Undefined: the body is no JSON. */
const jsonOf = ({ isJson, body }: Received): unknown => (isJson ? orUndefined(() => JSON.parse(body)) : undefined)

/** Tells the first line that differs. */
function compareLines(one: Received, other: Received, tell: Tell): void {
  const [lines, others] = ofBoth([one, other], ({ body }) => body.split('\n'))
  const line = (lines.length < others.length ? others : lines).findIndex((_, i) => lines[i] !== others[i])
  const shown = (text = 'none') => `line ${line + 1}: ${one.isJson ? text : Buffer.from(text, 'latin1')}`
  if (line >= 0) tell('body', shown(lines[line]), shown(others[line]))
}

function compareValues(place: string, one: unknown, other: unknown, tell: Tell): void {
  if (Array.isArray(one) && Array.isArray(other)) compareLists(place, one, other, tell)
  else if (isObject(one) && isObject(other))
    for (const name of Object.keys({ ...one, ...other }))
      compareValues(place === '' ? name : `${place}.${name}`, one[name], other[name], tell)
  else if (one === undefined) tell(`${place}: only new`, one, other)
  else if (other === undefined) tell(`${place}: only old`, one, other)
  else if (one !== other) tell(`${place}: value`, one, other)
}

/** Compares items by their ids, or by their places in lists without ids. */
function compareLists(place: string, one: readonly unknown[], other: readonly unknown[], tell: Tell): void {
  const named = ofBoth([one, other], (list) => new Map(list.map((item) => [idOf(item), item])))
  const areNamed =
    named.every((items) => !items.has(undefined)) && named[0].size === one.length && named[1].size === other.length
  const [items, others] = areNamed
    ? named
    : ofBoth<readonly unknown[], Items>([one, other], (list) => new Map(list.entries()))
  const [kept, gone] = partsOf(items, others)
  const [keptToo, come] = partsOf(others, items)
  if (gone.length + come.length > 0) tell(`${place}: items`, `only here: ${gone}`, `only here: ${come}`)
  if (String(kept) !== String(keptToo)) tell(`${place}: order`, kept, keptToo)
  for (const id of kept) compareValues(`${place}[]`, items.get(id), others.get(id), tell)
}

type Items = ReadonlyMap<unknown, unknown>

const partsOf = (items: Items, others: Items) =>
  [[...items.keys()].filter((id) => others.has(id)), [...items.keys()].filter((id) => !others.has(id))] as const

/** Returns what identifies an item. Series of version 3 have only an address. */
const idOf = (item: unknown): unknown => (isObject(item) ? (item.id ?? item.uuid ?? item.url) : undefined)
