import type { PageAddress } from '../state/address.ts'
import { ask, keepKey, keyInUse, messageOf } from '../state/service.ts'
import { announce, h } from './dom.ts'

const UNKNOWN =
  'This service does not know the key. Check that you copied all of it, or ask the person who gave it to you.'

/**
 * Makes the button that shows if a key is in use, and the dialog to enter or forget one. `onChange` runs on a new key.
 */
export const makeKey = (probe: PageAddress, onChange: () => void): HTMLElement => {
  const fault = h('p', { class: 'fault', id: 'key-fault', role: 'alert' })
  const input = h('input', {
    id: 'key',
    type: 'password',
    autocomplete: 'off',
    required: true,
    'aria-describedby': 'key-fault',
  })
  const forget = h('button', { type: 'button', click: () => use(null) }, 'Forget key')
  const dialog = h(
    'dialog',
    { 'aria-labelledby': 'key-title' },
    h(
      'form',
      {
        method: 'dialog',
        submit: async (event) => {
          event.preventDefault()
          const answer = await ask(probe, undefined, input.value.trim())
          if (answer.status === 200) return use(input.value.trim())
          fault.textContent = answer.status === 401 ? UNKNOWN : messageOf(answer)
          input.focus()
        },
      },
      h('h2', { id: 'key-title' }, 'Key'),
      h(
        'p',
        {},
        'With a key you see more series. The page sends it as ',
        h('code', {}, 'Authorization: Bearer'),
        ', and stores it in this tab until you close it.',
      ),
      h('label', { for: 'key' }, 'Your key'),
      input,
      fault,
      h(
        'div',
        { class: 'actions' },
        h('button', { type: 'submit', class: 'primary' }, 'Use key'),
        forget,
        h('button', { type: 'button', click: () => dialog.close() }, 'Cancel'),
      ),
    ),
  )
  const button = h('button', {
    type: 'button',
    class: 'key',
    'aria-haspopup': 'dialog',
    click: () => {
      input.value = ''
      fault.textContent = ''
      dialog.showModal()
      input.focus()
    },
  })
  const show = () => {
    const used = keyInUse() !== null
    button.textContent = used ? 'Key in use' : 'Enter a key'
    button.classList.toggle('used', used)
    forget.hidden = !used
  }
  const use = (key: string | null) => {
    keepKey(key)
    dialog.close()
    show()
    announce(key === null ? 'The key is forgotten' : 'The key is in use')
    onChange()
  }
  show()
  return h('div', {}, button, dialog)
}
