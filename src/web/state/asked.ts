import { useEffect, useState } from 'preact/hooks'
import { keyInUse } from './service.ts'

/**
 * Asks for something again whenever `key` or the key in use changes, and aborts the request before. Returns null until
 * the answer arrives, and if it fails. `isCurrent` is false while the value belongs to an earlier key.
 */
export const useAsked = <T>(key: string | null, ask: (signal: AbortSignal) => Promise<T>) => {
  const [found, setFound] = useState<{ readonly key: string; readonly value: T | null }>({ key: '', value: null })
  const wanted = key === null ? null : `${keyInUse() ?? ''} ${key}`
  useEffect(() => {
    if (wanted === null) return
    const asking = new AbortController()
    const keep = (value: T | null) => {
      if (!asking.signal.aborted) setFound({ key: wanted, value })
    }
    ask(asking.signal).then(keep, () => keep(null))
    return () => asking.abort()
  }, [wanted])
  return wanted === null ? { value: null, isCurrent: true } : { value: found.value, isCurrent: found.key === wanted }
}
