import { describe, expect, it } from 'vitest'
import type { EventRecord } from '../../src/model/types.ts'
import { type EventDraft, mergeEvent, type NewEventDraft, newEvent } from '../../src/store/drafts.ts'
import { wholeRecord } from '../records.ts'

const STORED = wholeRecord({
  kind: 'event',
  id: 7,
  series: 2,
  category: 'flood',
  value: '1',
  start: 1000,
  end: 9000,
  coordinates: [5, 52, 0],
  object: { model: 'pump', id: 7 },
  external_id: 'f1',
  last_modified: 1,
}) as EventRecord
const INSTANT: EventRecord = { ...STORED, end: 1000 }
const NAMELESS: EventRecord = { ...STORED, external_id: null }
const { id: __, ...WHOLE } = STORED

describe('mergeEvent with', () => {
  it.each<[string, EventRecord, EventDraft, EventRecord]>([
    ['no field', STORED, {}, STORED],
    ['one field', STORED, { value: '2' }, { ...STORED, value: '2' }],
    ['cleared texts', STORED, { category: '', value: '' }, { ...STORED, category: '', value: '' }],
    [
      'cleared geometry and object',
      STORED,
      { coordinates: null, object: null },
      { ...STORED, coordinates: null, object: null },
    ],
    ['a cleared external id', STORED, { external_id: null }, NAMELESS],
    ['a new external id', NAMELESS, { external_id: 'f1' }, STORED],
    ['a cleared end', STORED, { end: null }, INSTANT],
    ['a cleared end and a new start', STORED, { start: 5, end: null }, { ...STORED, start: 5, end: 5 }],
    ['a new start before the stored end', STORED, { start: 5 }, { ...STORED, start: 5 }],
    ['a new start of an event that ended as it started', INSTANT, { start: 5 }, { ...STORED, start: 5, end: 5 }],
    ['a new start and end', INSTANT, { start: 5, end: 6 }, { ...STORED, start: 5, end: 6 }],
    ['one part of the object', STORED, { object_id: 8 }, { ...STORED, object: { model: 'pump', id: 8 } }],
    ['both parts of the object cleared', STORED, { model: null, object_id: null }, { ...STORED, object: null }],
  ])('%s', (_, stored, draft, expected) => {
    expect(mergeEvent(stored, draft)).toEqual(expected)
  })
})

describe('newEvent', () => {
  const required = { kind: 'event', series: 2, start: 1000, coordinates: null } as const
  const made = {
    ...required,
    id: 9,
    category: '',
    value: '',
    end: 1000,
    object: null,
    external_id: null,
    last_modified: null,
  }
  it.each<[string, NewEventDraft, object]>([
    ['with the required fields', required, made],
    ['without an end', { ...required, end: null, external_id: null }, made],
    ['with all fields', WHOLE, { ...STORED, id: 9 }],
    [
      'with the parts of an object',
      { ...required, model: 'pump', object_id: 3 },
      { ...made, object: { model: 'pump', id: 3 } },
    ],
  ])('%s', (_, draft, expected) => {
    expect(newEvent(draft, 9)).toMatchObject(expected)
  })
})
