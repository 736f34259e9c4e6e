/** An answer to what was tried, its headers by their names in lower case. */
interface Tried {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = (): void => {
  document.documentElement.classList.toggle('dark-mode', dark.matches)
}
dark.addEventListener('change', follow)
follow()

declare const SwaggerUIBundle: (options: Readonly<Record<string, unknown>>) => unknown

SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  // No third party looks at what is described here.
  validatorUrl: null,
  // Its label stands beside it.
  onComplete: () => document.getElementById('servers')?.setAttribute('aria-label', 'Server'),
  // What is written here is seen by the page, wherever that is read.
  responseInterceptor: (tried: Tried) => {
    const bookmark = tried.headers['x-d1-bookmark']
    if (bookmark) sessionStorage.setItem('X-D1-Bookmark', bookmark)
    if (tried.status === 503) sessionStorage.removeItem('X-D1-Bookmark')
    return tried
  },
})
