import type { Schema } from '../filters/lookups.ts'
import { answerComponents } from './answers.ts'

interface Described {
  readonly title: string
  readonly version: string
  readonly description: string
  readonly tags: readonly Schema[]
  readonly paths: Schema
  readonly schemas: Schema
  readonly parameters: Schema
  /** Describes the body of an error. */
  readonly errorOf: (status: string) => Schema
}

/** A document in OpenAPI 3.1. */
export type OpenApi = ReturnType<typeof documentOf>

/** Makes a document in OpenAPI 3.1. All its addresses begin with `base`. */
export const documentOf = (base: string, described: Described) => {
  const { title, version, description, tags, paths, schemas, parameters, errorOf } = described
  return {
    openapi: '3.1.1',
    info: { title, version, description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: base }],
    security: [{}, { bearer: [] }, { basic: [] }],
    tags,
    paths,
    components: {
      schemas,
      parameters,
      ...answerComponents(errorOf),
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A key.' },
        basic: {
          type: 'http',
          scheme: 'basic',
          description: 'The user name is `__key__`, and the password is a key.',
        },
      },
    },
  }
}
