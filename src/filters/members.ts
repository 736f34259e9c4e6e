import { LOOKUPS } from './lookups.ts'

/** Filters for members of a value whose names are not known before. `F` is the filter for one member. */
export interface Members<F> {
  /** Says which parameters exist. */
  readonly form: string
  /** Returns the filter for a member. Null: no parameter can name it. */
  readonly named: (name: string) => F | null
}

/** The parameters of members. `P` is a parameter. */
export interface MemberParameters<P> {
  readonly form: string
  /** Returns the parameters of the member in the name of a parameter. Null: it names no member. */
  readonly of: (parameter: string) => ReadonlyMap<string, P> | null
}

/** Returns the parameters of the members of a field. `build` makes those of one member. */
export const parametersOfMembers = <F, P>(
  field: string,
  { form, named }: Members<F>,
  build: (fields: Readonly<Record<string, F>>) => ReadonlyMap<string, P>,
): MemberParameters<P> => ({
  form,
  of: (parameter) => {
    const [, name = '', lookup] = parameter.split('__')
    const lacksName = lookup === undefined && (Object.hasOwn(LOOKUPS, name) || name === 'not')
    const member = lacksName ? null : named(name)
    return member && build({ [`${field}__${name}`]: member })
  },
})
