/** An answer to a request from the reference. Its headers have lower-case names. */
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
  // This sends the description to no third party.
  validatorUrl: null,
  // Swagger UI shows a label, but does not connect it with the select.
  onComplete: () => document.getElementById('servers')?.setAttribute('aria-label', 'Server'),
  // The bookmark lets the page see writes from here, on any replica.
  responseInterceptor: (tried: Tried) => {
    const bookmark = tried.headers['x-d1-bookmark']
    if (bookmark) sessionStorage.setItem('X-D1-Bookmark', bookmark)
    if (tried.status === 503) sessionStorage.removeItem('X-D1-Bookmark')
    return tried
  },
})
