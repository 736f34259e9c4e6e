import { type Answer, ask, faultsOf, parsed, type Variables } from './answers.ts'
import type { Asked } from './requests.ts'

/** Sends a request and the requests that a client would send next. Returns the faults of all answers. */
export const faultsAround = async (asked: Asked, vars: Variables): Promise<{ status: number; faults: string[] }> => {
  const answer = await ask(asked, vars)
  const faults = [
    ...faultsOf(asked, answer),
    ...(await headFaults(asked, answer, vars)),
    ...(await againFaults(asked, answer, vars)),
    ...(await redirectFaults(asked, answer, vars)),
    ...(await pageFaults(asked, answer, vars)),
  ]
  return { status: answer.status, faults }
}

const follow = async (what: string, asked: Asked, statuses: readonly number[], vars: Variables): Promise<string[]> => {
  const answer = await ask(asked, vars)
  const faults = faultsOf(asked, answer)
  if (!statuses.includes(answer.status))
    faults.push(`status ${answer.status}, not ${statuses}: ${answer.text.slice(0, 200)}`)
  return faults.map((fault) => `${what}, ${asked.method} ${asked.path.slice(0, 300)}: ${fault}`)
}

/** HEAD must have the status of GET. */
const headFaults = async (asked: Asked, { status }: Answer, vars: Variables): Promise<string[]> =>
  asked.method === 'GET' ? follow('HEAD', { ...asked, method: 'HEAD' }, [status], vars) : []

/** A request with the ETag of the answer must get a 304. */
const againFaults = async (asked: Asked, { status, headers }: Answer, vars: Variables): Promise<string[]> => {
  const tag = headers.get('ETag')
  if (status !== 200 || tag === null || asked.method !== 'GET') return []
  return follow('again', { ...asked, headers: { ...asked.headers, 'If-None-Match': tag } }, [304], vars)
}

const redirectFaults = async (asked: Asked, { status, headers }: Answer, vars: Variables): Promise<string[]> => {
  if (status !== 301 && status !== 308) return []
  const target = headers.get('Location') ?? ''
  if (!/^\/(?!\/)/.test(target)) return [`it leads elsewhere: ${target}`]
  const { status: there } = await ask({ ...asked, path: target }, vars)
  return there === 301 || there === 308 ? [`it leads on to a ${there}: ${target}`] : []
}

const UNCONDITIONAL = /^If-/i

/** The links to the next and the previous page must work. A forged hint may only cause a wrong estimate. */
const pageFaults = async (asked: Asked, { status, text }: Answer, vars: Variables): Promise<string[]> => {
  if (status !== 200 || (asked.method !== 'GET' && asked.method !== 'POST')) return []
  const { next, previous } = (parsed(text) ?? {}) as Record<string, unknown>
  const headers = Object.fromEntries(Object.entries(asked.headers).filter(([name]) => !UNCONDITIONAL.test(name)))
  const turns = [next, previous].filter((address) => typeof address === 'string')
  const faults: string[] = []
  for (const path of turns) {
    faults.push(...(await follow('turn', { ...asked, headers, path }, [200], vars)))
    for (const forged of forgeries(path))
      faults.push(...(await follow('forged', { ...asked, headers, path: forged }, [200, 404], vars)))
  }
  return faults
}

/**
 * Returns the address with forged numbers in its hint. The check at the end of the hint covers only the request, so it
 * stays valid.
 */
const forgeries = (path: string): string[] => {
  const [, side, at, id, state, count, rowsPerMatch, check] =
    /hint=([ab])_(-?\d*)_(\d+)_([0-9a-z]+-[0-9a-z]+)_(\d+)_(\d+)_(\w+)/.exec(path) ?? []
  if (side === undefined) return []
  const other = side === 'a' ? 'b' : 'a'
  const hints = [
    [other, at, id, state, count, rowsPerMatch, check],
    [side, at === '' ? '5' : '', '9999999999999999', state, '9999999999999999', '999999999', check],
    [side, '-9999999999999999', '0', '0-0', '0', '0', check],
  ]
  return hints.map((hint) => path.replace(/hint=[^&]*/, `hint=${hint.join('_')}`))
}
