declare const SwaggerUIBundle: (options: Readonly<Record<string, unknown>>) => unknown

SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  // No third party looks at what is described here.
  validatorUrl: null,
})
