import { h, setAttribute } from '../app/dom.ts'
import { type AddressParameter, parameter, textOf } from '../state/address.ts'
import type { AreaInput } from './filters.ts'

/** Makes the input of the area. The user draws on the map, pastes a geometry, or drops a file. */
export const makeArea = (name: string, onChange: () => void): AreaInput => {
  let given: AddressParameter | null = null
  const fault = h('p', { class: 'fault', id: 'area-fault', hidden: true })
  const input = h('textarea', {
    id: 'area',
    name,
    rows: '2',
    spellcheck: 'false',
    placeholder: 'Draw on the map, paste WKT or GeoJSON, or drop a file',
    'aria-describedby': 'area-fault',
  })
  const element = h(
    'div',
    { class: 'field' },
    h(
      'div',
      { class: 'field-head' },
      h('label', { class: 'label', for: 'area' }, 'Within an area'),
      h('code', {}, name),
    ),
    input,
    fault,
  )
  const put = async (file: File) => {
    input.value = (await file.text()).trim()
    onChange()
  }
  element.addEventListener('dragover', (event) => {
    event.preventDefault()
    element.classList.add('dropping')
  })
  element.addEventListener('dragleave', () => element.classList.remove('dropping'))
  element.addEventListener('drop', (event) => {
    event.preventDefault()
    element.classList.remove('dropping')
    const file = event.dataTransfer?.files[0]
    if (file !== undefined) put(file)
  })
  return {
    element,
    name: () => name,
    read: () => {
      if (input.value.trim() === '') return []
      return [given !== null && textOf(given) === input.value ? given : parameter(name, input.value)]
    },
    update: (parameters) => {
      given = parameters.find((each) => each.name === name) ?? null
      input.value = given === null ? '' : textOf(given)
    },
    tell: (messages) => {
      fault.hidden = messages.length === 0
      fault.textContent = messages.join(' ')
      setAttribute(input, 'aria-invalid', messages.length > 0 ? 'true' : null)
    },
  }
}
