type Child = Node | string | number | null | undefined | false
type Attributes = Readonly<Record<string, string | number | boolean | null | undefined | EventListener>>

/** An element of HTML: functions listen to the event of their name, true and false set and leave out, the rest is as named. */
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

/** Sets an attribute, or removes it for what is not there. */
export const setAttribute = (element: Element, name: string, value: string | number | boolean | null | undefined) => {
  if (value === false || value === null || value === undefined) element.removeAttribute(name)
  else element.setAttribute(name, value === true ? '' : String(value))
}

/** Puts these in place of what an element holds. */
export const fill = (element: Element, ...children: (Child | readonly Child[])[]): void =>
  element.replaceChildren(...nodesOf(children))

const nodesOf = (children: readonly (Child | readonly Child[])[]): (Node | string)[] =>
  children
    .flat()
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (typeof child === 'number' ? String(child) : (child as Node | string)))

/** A number for people: 15,175. */
export const formatCount = (count: number): string => count.toLocaleString('en')

/** `1 event`, `2 events`. */
export const counted = (count: number, noun: string): string =>
  `${formatCount(count)} ${count === 1 || noun.endsWith('series') ? noun : `${noun}s`}`

/** A patch of a series' colour; style sheets may not set it, as the policy of the page allows no styles in its text. */
export const swatch = (color: string | undefined): HTMLElement => {
  const patch = h('span', { class: 'swatch', 'aria-hidden': 'true' })
  if (color !== undefined) patch.style.backgroundColor = color
  return patch
}

/** Tells screen readers; a text that is told again is told anew. */
export const announce = (text: string): void => {
  const region = document.getElementById('announcements')
  if (region !== null) region.textContent = region.textContent === text ? `${text}\u00a0` : text
}
