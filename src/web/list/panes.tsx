import { useEffect, useState } from 'preact/hooks'
import { texts } from '../state/text.ts'

/** The parts of a list. A narrow screen shows one of them at a time. */
export type Pane = 'rows' | 'map' | 'time' | 'filters'

/** Paper shows all parts. */
const WIDE = '(min-width: 75rem), print'

/** Returns true if the screen has space for all parts side by side. */
export const useWide = (): boolean => {
  const [isWide, setWide] = useState(() => matchMedia(WIDE).matches)
  useEffect(() => {
    const query = matchMedia(WIDE)
    const follow = () => setWide(query.matches)
    query.addEventListener('change', follow)
    return () => query.removeEventListener('change', follow)
  }, [])
  return isWide
}

interface PanesProps {
  readonly panes: readonly Pane[]
  readonly chosen: Pane
  readonly choose: (pane: Pane) => void
  /** The number of active filters. */
  readonly filters: number
}

/** The choice of a part on a narrow screen. */
export const Panes = ({ panes, chosen, choose, filters }: PanesProps) => {
  const t = texts().list.panes
  return (
    <fieldset class="panes">
      <legend class="unseen">{t.title}</legend>
      {panes.map((pane) => (
        <button key={pane} type="button" aria-pressed={pane === chosen} onClick={() => choose(pane)}>
          {t[pane]}
          {pane === 'filters' && filters > 0 && <span class="badge">{filters}</span>}
        </button>
      ))}
    </fieldset>
  )
}
