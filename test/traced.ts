import { AsyncLocalStorage } from 'node:async_hooks'
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Plugin } from 'esbuild'
import ts from 'typescript'
import { ROOT } from '../seed/local/wrangler.ts'

/** A call of a traced function. */
export interface Call {
  /** Such as `src/engine/plan/choose.ts choose`. A closure has the name of the function around it. */
  readonly name: string
  /** The traced call that it belongs to. Functions between the two are not traced. Null: there is none. */
  readonly caller: Call | null
}

/** Traces each call of a function in some files of the bundle. */
export interface Trace {
  readonly plugin: Plugin
  /** Returns the calls during a task, in their order. */
  readonly during: (task: () => Promise<unknown>) => Promise<Call[]>
}

/** `filter` matches the paths of the traced files. */
export const traceOf = (filter: RegExp): Trace => {
  let calls: Call[] = []
  const current = new AsyncLocalStorage<Call>()
  // The code of the bundle finds the function there.
  Object.assign(globalThis, {
    [TRACE]: (name: string, run: () => unknown) => {
      const call = { name, caller: current.getStore() ?? null }
      calls.push(call)
      return current.run(call, run)
    },
  })
  const plugin: Plugin = {
    name: 'trace',
    setup: ({ onLoad }) =>
      onLoad({ filter }, ({ path }) => ({
        contents: traced(relative(ROOT, path), readFileSync(path, 'utf8')),
        loader: 'ts',
      })),
  }
  const during = async (task: () => Promise<unknown>) => {
    calls = []
    await task()
    return calls
  }
  return { plugin, during }
}

const TRACE = 'traceOfTests'

/** Wraps the body of each function in a call of TRACE. Generators and constructors stay as they are. */
const traced = (file: string, text: string): string => {
  const edits: { readonly position: number; readonly added: string }[] = []
  const visit = (node: ts.Node, around: string): void => {
    const name = nameOf(node) ?? around
    if (isTraceable(node)) {
      const { body } = node
      const isAsync = node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.AsyncKeyword) ?? false
      const call = `${TRACE}(${JSON.stringify(`${file} ${name}`)}, ${isAsync ? 'async ' : ''}() =>`
      const [start, end] = [body.getStart(), body.getEnd()]
      edits.push(
        ts.isBlock(body) ? { position: start, added: `{ return ${call} ` } : { position: start, added: `${call} (` },
        { position: end, added: ts.isBlock(body) ? ') }' : '))' },
      )
    }
    ts.forEachChild(node, (child) => visit(child, name))
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true), '')
  return edits
    .sort((a, b) => b.position - a.position)
    .reduce((code, { position, added }) => code.slice(0, position) + added + code.slice(position), text)
}

type Traceable = (ts.ArrowFunction | ts.FunctionDeclaration | ts.FunctionExpression | ts.MethodDeclaration) & {
  readonly body: ts.ConciseBody
}

const isTraceable = (node: ts.Node): node is Traceable =>
  (ts.isArrowFunction(node) ||
    ((ts.isFunctionDeclaration(node) || ts.isFunctionExpression(node) || ts.isMethodDeclaration(node)) &&
      node.asteriskToken === undefined)) &&
  node.body !== undefined

/** Returns the name that a declaration at the top of a file gives to its functions. */
const nameOf = (node: ts.Node): string | undefined =>
  (ts.isFunctionDeclaration(node) || ts.isVariableDeclaration(node)) && isAtTop(node) && node.name !== undefined
    ? node.name.getText()
    : undefined

const isAtTop = (node: ts.Node): boolean =>
  ts.isSourceFile(ts.isVariableDeclaration(node) ? node.parent.parent.parent : node.parent)
