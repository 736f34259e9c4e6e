/** The reason why a file or a database cannot be loaded, and how to correct it. */
export class LoadError extends Error {}
