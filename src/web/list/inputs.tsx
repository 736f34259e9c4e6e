import { useRef } from 'preact/hooks'
import { attributeLabel, attributesOf } from '../../formats/columns.ts'
import { readList, valuesIn } from '../state/rows.ts'
import { shown } from '../state/store.ts'
import { editorTexts } from '../state/texts/editor.ts'
import { type Option, Options } from './cells.tsx'

/** An input for the name of an attribute. It suggests the names in view, and takes the words that the page shows for them. */
export const AttributeName = ({ name, put }: { readonly name: string; readonly put: (name: string) => void }) => {
  const { body, place } = shown.value
  const rows = readList(body, place.path)?.results ?? []
  const names = [...new Set(rows.flatMap((row) => Object.keys(attributesOf(valuesIn(row)))))]
  // While one types, the label of one attribute may begin another label.
  const nameOfLabel = (text: string) => {
    const [found, ...others] = names.filter((each) => attributeLabel(each).startsWith(text))
    return found !== undefined && others.length === 0 && attributeLabel(found) === text ? found : text
  }
  return (
    <>
      <input
        class="attribute"
        aria-label={editorTexts().attribute}
        placeholder={editorTexts().attribute}
        value={name}
        list="attribute-names"
        onInput={({ currentTarget }) => put(nameOfLabel(currentTarget.value))}
      />
      <datalist id="attribute-names">
        <Options of={names.map((each): Option => [each, attributeLabel(each)])} />
      </datalist>
    </>
  )
}

/** A button that opens the calendar of the browser. */
export const Calendar = ({ label, put }: { readonly label: string; readonly put: (text: string) => void }) => {
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
        onChange={({ currentTarget }) => put(currentTarget.value)}
      />
    </span>
  )
}
