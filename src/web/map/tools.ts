import { h, setAttribute } from '../app/dom.ts'
import type { DrawnShape } from './draw.ts'

const SHAPES: readonly (readonly [DrawnShape, string, string])[] = [
  ['polygon', 'Polygon', 'Click each corner. To finish, click the first corner again. To cancel, press Escape.'],
  ['rectangle', 'Rectangle', 'Drag from corner to corner, or click both. To cancel, press Escape.'],
  ['circle', 'Circle', 'Drag from the centre, or click the centre and the edge. To cancel, press Escape.'],
]

/** The actions of the map's tools. */
interface Actions {
  readonly draw: (shape: DrawnShape) => Promise<void>
  readonly edit: () => Promise<void>
  readonly stop: () => void
  readonly clear: () => void
}

/** Makes the buttons to draw, edit and clear an area. */
export const makeTools = ({ draw, edit, stop, clear }: Actions) => {
  const hint = h('p', { class: 'hint', role: 'status' })
  let pressed: HTMLElement | null = null
  const press = (button: HTMLElement | null, text: string) => {
    for (const each of buttons) setAttribute(each, 'aria-pressed', String(each === button))
    pressed = button
    hint.textContent = text
  }
  /** Releases a pressed button when the user presses it again. */
  const toggle = (button: HTMLElement, text: string, act: () => Promise<void>) => {
    const again = pressed === button
    stop()
    press(null, '')
    if (again) return
    press(button, text)
    act().catch(() => press(null, 'Drawing could not be loaded. Try again.'))
  }
  const shapes = SHAPES.map(([shape, label, help]) => {
    const button = h('button', { type: 'button', title: `Draw a ${label.toLowerCase()}` }, label)
    button.addEventListener('click', () => toggle(button, help, () => draw(shape)))
    return button
  })
  const editing = h('button', { type: 'button' }, 'Edit')
  editing.addEventListener('click', () =>
    toggle(editing, 'Drag a corner or the whole area. To finish, press Edit again.', edit),
  )
  const buttons = [...shapes, editing]
  const clearing = h('button', { type: 'button', click: () => clear() }, 'Clear area')
  for (const button of buttons) setAttribute(button, 'aria-pressed', 'false')
  return {
    element: h('div', { class: 'tools', role: 'toolbar', 'aria-label': 'Draw an area' }, buttons, clearing, hint),
    ended: () => press(null, ''),
    update: (isSet: boolean, isEditable: boolean) => {
      clearing.hidden = !isSet
      editing.hidden = !isEditable
    },
  }
}
