import { language } from '../state/text.ts'
import { detailTexts, inWords } from '../state/texts/item.ts'

/** A parameter of an operation. */
type Parameter = ReadonlyMap<string, string>

/** The parameters of an operation, as a list of Immutable.js. */
interface ParameterList {
  readonly size: number
  readonly map: (of: (parameter: Parameter) => string) => Iterable<string>
  readonly filter: (keeps: (parameter: Parameter) => boolean) => ParameterList
}

/** The parts of Swagger UI, and of its React, that a plugin uses. */
interface System {
  readonly React: {
    readonly createElement: (type: unknown, props: object | null, ...children: unknown[]) => object
    readonly useState: <T>(initial: T) => [T, (next: T) => void]
    readonly Fragment: unknown
  }
  readonly layoutActions: { readonly show: (path: readonly string[], isShown: boolean) => void }
}

declare const SwaggerUIBundle: (options: Readonly<Record<string, unknown>>) => System

const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = (): void => {
  document.documentElement.classList.toggle('dark-mode', dark.matches)
}
dark.addEventListener('change', follow)
follow()

// The description of the interface is English. Its frame is in the language of the page.
for (const text of document.querySelectorAll('.top :is(a:not(:has(b)), h1)'))
  text.textContent = inWords(text.textContent ?? '')

const nameOf = (parameter: Parameter): string => parameter.get('name') ?? ''

/** Leaves out the lookups of other parameters, such as `category__in` beside `category`. */
const withoutLookups = (parameters: ParameterList): ParameterList => {
  const names = new Set(parameters.map(nameOf))
  return parameters.filter((each) => !names.has(nameOf(each).replace(/__[a-z_]+?$/, '')) || !/__/.test(nameOf(each)))
}

/** Shows the lookups of an operation after a click. Swagger UI needs about 20 ms for each of more than a hundred. */
const lookupsLater = ({ React }: System) => ({
  wrapComponents: {
    parameters: (Original: unknown) => (props: { readonly parameters: ParameterList }) => {
      const { createElement: h, useState, Fragment } = React
      const [isWhole, setWhole] = useState(false)
      const few = withoutLookups(props.parameters)
      const left = props.parameters.size - few.size
      const show = { type: 'button', lang: language.value, className: 'btn lookups', onClick: () => setWhole(true) }
      const more = left > 0 && !isWhole && h('button', show, detailTexts().lookups(left))
      return h(Fragment, null, h(Original, { ...props, parameters: isWhole ? props.parameters : few }), more)
    },
  },
  // They are a button and a link within a button. The address of the page names the opened operation.
  components: {
    CopyToClipboardBtn: () => null,
    DeepLink: ({ text }: { readonly text: unknown }) => React.createElement('span', null, text),
  },
})

/** Sets an attribute of each element that lacks it. */
const complete = (selector: string, name: string, textFor: (element: Element) => string): void => {
  for (const element of document.querySelectorAll(`${selector}:not([${name}])`))
    element.setAttribute(name, textFor(element))
}

/** Adds names and levels for screen readers, which Swagger UI leaves out. Shows the groups after the first is open. */
const completeAll = (): void => {
  if (document.querySelector('#docs [data-is-open="true"]') !== null)
    document.getElementById('docs')?.classList.add('opened')
  complete('#docs .info .title', 'aria-level', () => '2')
  for (const [part, label] of Object.entries({
    '.information-container': 'About',
    '.scheme-container': 'Server and key',
  })) {
    complete(`#docs ${part}`, 'role', () => 'region')
    complete(`#docs ${part}`, 'aria-label', () => label)
  }
  complete('#servers', 'aria-label', () => 'Server')
  complete('#docs pre', 'tabindex', () => '0')
  const rowOf = (element: Element) => element.closest('tr')?.getAttribute('data-param-name') ?? 'Value'
  complete('#docs :is(.parameters, .opblock-section-request-body) :is(input, select, textarea)', 'aria-label', rowOf)
}
new MutationObserver(completeAll).observe(document.getElementById('docs') as HTMLElement, {
  childList: true,
  subtree: true,
})

const reference = SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  plugins: [lookupsLater],
  // This sends the description to no third party.
  validatorUrl: null,
  // The first group is open.
  onComplete: () => reference.layoutActions.show(['operations-tag', 'v3 events'], true),
  // The bookmark lets the page see writes from here, on any replica.
  responseInterceptor: (tried: { readonly status: number; readonly headers: Readonly<Record<string, string>> }) => {
    const bookmark = tried.headers['x-d1-bookmark']
    try {
      if (bookmark) sessionStorage.setItem('X-D1-Bookmark', bookmark)
      if (tried.status === 503) sessionStorage.removeItem('X-D1-Bookmark')
    } catch {} // The browser blocks its storage.
    return tried
  },
})
