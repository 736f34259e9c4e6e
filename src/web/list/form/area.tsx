import { useEffect, useRef, useState } from 'preact/hooks'
import { texts } from '../../state/text.ts'
import { fieldLabel } from './labels.ts'
import { Fault, faultId, type LineProps } from './line.tsx'

/** The area that contains the events. The user draws on the map, pastes a geometry, or drops a file. */
export const AreaField = (props: LineProps) => {
  const { form, field, condition, messages, focus, index } = props
  const [isDropping, setDropping] = useState(false)
  const input = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (focus !== null) input.current?.focus()
  }, [focus])
  const edit = (text: string) => form.edit(field.name, index, { text })
  const put = async (text: string | Promise<string>) => {
    edit((await text).trim())
    form.commit(field.name)
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setDropping(false)
    const file = event.dataTransfer?.files[0]
    if (file !== undefined) put(file.text())
  }
  const drag = (event: DragEvent) => {
    event.preventDefault()
    setDropping(true)
  }
  return (
    <div class={isDropping ? 'field dropping' : 'field'} data-field={field.name}>
      <label class="label" for="area" title={field.name}>
        {fieldLabel(field.name)}
      </label>
      <textarea
        ref={input}
        id="area"
        name={field.name}
        rows={2}
        spellcheck={false}
        placeholder={texts().form.area}
        value={condition.text}
        aria-invalid={messages.length > 0 || undefined}
        aria-describedby={messages.length > 0 ? faultId(field, index) : undefined}
        onInput={({ currentTarget }) => edit(currentTarget.value)}
        onChange={({ currentTarget }) => put(currentTarget.value)}
        onDragOver={drag}
        onDragLeave={() => setDropping(false)}
        onDrop={drop}
      />
      <Fault {...props} />
    </div>
  )
}
