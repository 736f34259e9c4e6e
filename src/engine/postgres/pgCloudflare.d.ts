/** The types of this package lack the class that it exports to workerd. */
declare module 'pg-cloudflare' {
  import type { Duplex } from 'node:stream'

  /** A TCP connection of a Worker, as `pg` uses it. `ssl`: the server must answer that it offers TLS. */
  export const CloudflareSocket: new (ssl: boolean) => Duplex
}

/** The package alone brings its pool and its native client into a Worker, which uses neither. */
declare module 'pg/lib/client.js' {
  export { Client as default } from 'pg'
}
declare module 'pg/lib/query.js' {
  export { Query as default } from 'pg'
}
