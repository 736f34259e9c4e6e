type Members = readonly (readonly [name: string, value: unknown])[]

/** How OpenAPI 3.0 writes the members of OpenAPI 3.1 that it does not have. It says as much as it can express. */
const KEYWORDS: Readonly<Record<string, (value: unknown) => Members>> = {
  openapi: () => [['openapi', '3.0.3']],
  identifier: () => [], // that of the license
  propertyNames: () => [],
  const: (only) => [
    ['type', typeof only],
    ['enum', [only]],
  ],
  type: (type) => {
    if (!Array.isArray(type)) return [['type', type]]
    const first = ['type', type.find((each) => each !== 'null')] as const
    return type.includes('null') ? [first, ['nullable', true]] : [first]
  },
  exclusiveMinimum: (above) => [
    ['minimum', above],
    ['exclusiveMinimum', true],
  ],
  examples: (values) => (Array.isArray(values) ? [['example', values[0]]] : []),
  // OpenAPI 3.0 allows no empty list here.
  required: (names) => (Array.isArray(names) && names.length === 0 ? [] : [['required', names]]),
}

/** Converts a part of a document, with its name, from OpenAPI 3.1 to 3.0. */
export const downgrade = (part: unknown, name = ''): unknown => {
  if (Array.isArray(part)) return part.map((each) => downgrade(each))
  if (typeof part !== 'object' || part === null || name === 'example') return part
  // A property may have the name of a keyword.
  if (name === 'properties')
    return Object.fromEntries(Object.entries(part).map(([key, property]) => [key, downgrade(property)]))
  const members = Object.entries(part).flatMap(
    ([key, value]): Members => KEYWORDS[key]?.(value) ?? [[key, downgrade(value, key)]],
  )
  return Object.fromEntries(members)
}
