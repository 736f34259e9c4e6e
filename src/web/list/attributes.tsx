import type { ComponentChildren } from 'preact'
import type { EventItem } from '../state/event.ts'
import { formatValue } from '../state/format.ts'
import { texts } from '../state/text.ts'

/** Returns the value of an attribute as the page shows it. Null without a value. */
export const attributeOf = (value: unknown): ComponentChildren => {
  if (value === null || value === undefined || value === '') return null
  return textOfAttribute(value)
}

const textOfAttribute = (value: unknown): string => {
  const { yes, no } = texts().form
  if (typeof value === 'boolean') return value ? yes : no
  if (Array.isArray(value)) return value.map(textOfAttribute).join(', ')
  if (typeof value === 'number') return formatValue(String(value))
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

/** The most columns of attributes. */
const MOST = 5

/** Returns the attributes that most events of a series have. Events of several series have too few in common. */
export const commonAttributes = (events: readonly EventItem[]): string[] => {
  if (!isOneSeries(events)) return []
  const counts = new Map<string, number>()
  for (const { details } of events)
    for (const [name, value] of Object.entries(details?.attributes ?? {}))
      if (isPlain(value)) counts.set(name, (counts.get(name) ?? 0) + 1)
  const names = [...counts].sort(([, a], [, b]) => b - a).map(([name]) => name)
  return names.slice(0, MOST)
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' && value !== ''

export const isOneSeries = (events: readonly EventItem[]): boolean =>
  new Set(events.map(({ series }) => series)).size === 1
