import type { ComponentChildren } from 'preact'

interface ScrollProps {
  readonly class: string
  readonly label: string
  readonly children: ComponentChildren
}

/** A part that scrolls. It takes the focus, so that the keyboard can scroll it. */
export const Scroll = ({ class: name, label, children }: ScrollProps) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: browsers scroll only the element with the focus by keys.
  <section class={name} aria-label={label} tabIndex={0}>
    {children}
  </section>
)
