import { afterAll, beforeAll } from 'vitest'
import { beginEmpty, prepareDatabase } from './database.ts'
import { cancelUnread } from './unread.ts'

beginEmpty()

/** Each file starts with an empty, migrated database, or with the data that it wants. */
beforeAll(prepareDatabase)

afterAll(cancelUnread)
