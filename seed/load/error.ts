/** Why a file or a database cannot be loaded, and what to put right. */
export class LoadError extends Error {}
