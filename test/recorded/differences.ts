import type { Answer } from './answer.ts'
import type { Request } from './service.ts'

/** One part of an answer that changed. */
export interface Difference {
  /** Such as `status`, `header etag`, `body.results[0].value`, or `body line 3` of a text. */
  readonly part: string
  /** JSON, or a string without its quotes. `(none)`: the part was absent. */
  readonly before: string
  readonly after: string
}

const NONE = '(none)'

/** Returns all parts of an answer that differ from the recorded one. */
export const differencesOf = (recorded: Answer, answer: Answer): Difference[] => [
  ...differ('status', recorded.status, answer.status),
  ...[...new Set([...Object.keys(recorded.headers), ...Object.keys(answer.headers)])]
    .sort()
    .flatMap((name) => differ(`header ${name}`, recorded.headers[name], answer.headers[name])),
  ...(recorded.body === answer.body ? [] : bodyDifferences(recorded.body, answer.body)),
]

const bodyDifferences = (before: string, after: string): Difference[] => {
  const values = [before, after].map(parsed)
  const found = values.includes(undefined) ? linesOf(before, after) : differ('body', ...(values as [unknown, unknown]))
  return found.length > 0 ? found : [{ part: 'body', before, after }] // the JSON is written differently
}

/** Compares texts line by line, or as a whole if the number of lines changed. */
const linesOf = (before: string, after: string): Difference[] => {
  const [left, right] = [before.split('\n'), after.split('\n')]
  if (left.length !== right.length) return [{ part: 'body', before, after }]
  return left.flatMap((line, i) => differ(`body line ${i + 1}`, line, right[i]))
}

const differ = (part: string, before: unknown, after: unknown): Difference[] => {
  if (Array.isArray(before) && Array.isArray(after)) {
    const longer = before.length > after.length ? before : after
    return longer.flatMap((_, i) => differ(`${part}[${i}]`, before[i], after[i]))
  }
  if (isObject(before) && isObject(after)) {
    const members = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    const common = (one: object, other: object) => Object.keys(one).filter((name) => Object.hasOwn(other, name))
    return [
      ...differ(`order of ${part}`, common(before, after).join(), common(after, before).join()),
      ...members.flatMap((name) => differ(`${part}.${name}`, before[name], after[name])),
    ]
  }
  if (before === after) return []
  const [left, right] = [written(before), written(after)]
  if (left !== right) return [{ part, before: left, after: right }]
  return [{ part, before: `${typeof before} ${left}`, after: `${typeof after} ${right}` }]
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const written = (value: unknown): string =>
  value === undefined ? NONE : typeof value === 'string' ? value : JSON.stringify(value)

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Writes a request and the differences of its answer as text. Each difference is a removed and an added line. */
export const report = (name: string, { method, path, headers, body }: Request, found: readonly Difference[]): string =>
  [
    `${name}: ${method} ${shortened(path)}`,
    ...Object.entries(headers).map(([header, value]) => `  ${header}: ${shortened(value)}`),
    ...(body === null ? [] : [`  ${shortened(JSON.stringify(body))}`]),
    ...found.slice(0, MOST).flatMap((each) => linesAbout(each)),
    ...(found.length > MOST ? [`  and ${found.length - MOST} more differences`] : []),
  ].join('\n')

const MOST = 20
const CONTEXT = 60

/** Shows only the part of a long text around the first and the last change. */
const linesAbout = ({ part, before, after }: Difference): string[] => {
  let start = 0
  while (start < before.length && before[start] === after[start]) start += 1
  let end = 0
  const most = Math.min(before.length, after.length) - start
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end += 1
  const around = (text: string) => shortened(text.slice(Math.max(0, start - CONTEXT), text.length - end + CONTEXT))
  return [`- ${part}: ${around(before)}`, `+ ${part}: ${around(after)}`]
}

const shortened = (text: string): string => (text.length > 600 ? `${text.slice(0, 600)}… (${text.length})` : text)
