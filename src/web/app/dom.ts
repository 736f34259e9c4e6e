import { formatCount } from '../state/format.ts'

type Child = Node | string | number | null | undefined | false
type Attributes = Readonly<Record<string, string | number | boolean | null | undefined | EventListener>>

/** Makes an HTML element. A function listens to the event of its name. True sets an attribute, false leaves it out. */
export const h = <Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: (Child | readonly Child[])[]
): HTMLElementTagNameMap[Tag] => {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value)
    else setAttribute(element, name, value)
  }
  element.append(...nodesOf(children))
  return element
}

/** Sets an attribute. False, null and undefined remove it. */
export const setAttribute = (element: Element, name: string, value: string | number | boolean | null | undefined) => {
  if (value === false || value === null || value === undefined) element.removeAttribute(name)
  else element.setAttribute(name, value === true ? '' : String(value))
}

/** Replaces the children of an element. */
export const fill = (element: Element, ...children: (Child | readonly Child[])[]): void =>
  element.replaceChildren(...nodesOf(children))

const nodesOf = (children: readonly (Child | readonly Child[])[]): (Node | string)[] =>
  children
    .flat()
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (typeof child === 'number' ? String(child) : (child as Node | string)))

/** Returns a count with its noun, such as `1 event` or `2 events`. */
export const counted = (count: number, noun: string): string =>
  `${formatCount(count)} ${count === 1 || noun.endsWith('series') ? noun : `${noun}s`}`

/** Makes a patch in a series' colour. A script sets the colour, because the page's policy forbids inline styles. */
export const swatch = (color: string | undefined): HTMLElement => {
  const patch = h('span', { class: 'swatch', 'aria-hidden': 'true' })
  if (color !== undefined) patch.style.backgroundColor = color
  return patch
}

/** Announces a text to screen readers, also if the last text was the same. */
export const announce = (text: string): void => {
  const region = document.getElementById('announcements')
  if (region !== null) region.textContent = region.textContent === text ? `${text}\u00a0` : text
}
