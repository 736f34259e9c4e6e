import { useRef } from 'preact/hooks'

interface CalendarProps {
  readonly label: string
  readonly onChoose: (day: string) => void
}

/** A button that opens the calendar of the browser. */
export const Calendar = ({ label, onChoose }: CalendarProps) => {
  const picker = useRef<HTMLInputElement>(null)
  return (
    <span class="calendar">
      <button type="button" class="quiet" aria-label={label} title={label} onClick={() => picker.current?.showPicker()}>
        <svg viewBox="0 0 16 16" aria-hidden="true">
          <path d="M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 1.5v3M10.5 1.5v3" />
        </svg>
      </button>
      <input
        ref={picker}
        class="unseen"
        type="date"
        tabIndex={-1}
        aria-label={label}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      />
    </span>
  )
}
