interface ErrorStatus {
  /** Its phrase (RFC 9110, 15, and RFC 6585, 4). */
  readonly title: string
  /** When the service answers with it. Null: the OpenAPI documents leave it out. */
  readonly says: string | null
  /** The headers that each answer with it has. */
  readonly headers?: readonly string[]
}

/** The statuses of errors. */
export const ERRORS: Readonly<Record<number, ErrorStatus>> = {
  400: { title: 'Bad Request', says: 'The parameters or the body have faults. The answer names all of them.' },
  401: {
    title: 'Unauthorized',
    says: 'The key is wrong, or the request needs a key.',
    headers: ['WWW-Authenticate'],
  },
  403: { title: 'Forbidden', says: 'The key may not do this, or the client sent it over plain http.' },
  404: { title: 'Not Found', says: 'The item or page does not exist, or the caller may not see it.' },
  405: { title: 'Method Not Allowed', says: null },
  406: { title: 'Not Acceptable', says: 'The service has no format that Accept names.' },
  408: { title: 'Request Timeout', says: 'The body took too long.' },
  409: { title: 'Conflict', says: 'The item exists already, or other items belong to it.' },
  412: { title: 'Precondition Failed', says: 'The data has changed since the client read it.' },
  413: { title: 'Content Too Large', says: 'The body is too long.' },
  414: { title: 'URI Too Long', says: 'The address, or the address of the next page, is too long.' },
  415: { title: 'Unsupported Media Type', says: 'The service does not accept the media type of the body.' },
  422: { title: 'Unprocessable Content', says: 'This Idempotency-Key was used for another request.' },
  429: { title: 'Too Many Requests', says: 'Too many requests.', headers: ['Retry-After'] },
  500: { title: 'Internal Server Error', says: 'The service failed.' },
  503: {
    title: 'Service Unavailable',
    says: 'The service is busy. Send the same request again later.',
    headers: ['Retry-After'],
  },
}
