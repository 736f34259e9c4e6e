import { keyInUse } from '../state/service.ts'
import { h } from './dom.ts'

/** Shows the answer to OPTIONS in a dialog. */
export const describe = async (path: string): Promise<void> => {
  const body = h('pre', { tabindex: '0', 'aria-label': 'Answer to OPTIONS' }, 'Asking…')
  const dialog = h(
    'dialog',
    { class: 'wide', 'aria-labelledby': 'options-title', close: () => dialog.remove() },
    h('h2', { id: 'options-title' }, `OPTIONS ${path}`),
    body,
    h('form', { method: 'dialog', class: 'actions' }, h('button', { class: 'primary' }, 'Close')),
  )
  document.body.append(dialog)
  dialog.showModal()
  const key = keyInUse()
  const headers = { Accept: 'application/json', ...(key === null ? {} : { Authorization: `Bearer ${key}` }) }
  const text = await fetch(path, {
    method: 'OPTIONS',
    headers,
    credentials: key === null ? 'same-origin' : 'omit',
  }).then(
    async (response) => JSON.stringify(await response.json(), null, 2),
    () => 'The service did not answer.',
  )
  body.textContent = text
}
