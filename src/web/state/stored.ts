/** Reads a choice of the user that stays for later visits. Null without one, or if the browser blocks its storage. */
export const readStored = (name: string): string | null => {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

/** Stores a choice for later visits. A browser that blocks its storage forgets it. */
export const keepStored = (name: string, value: string): void => {
  try {
    localStorage.setItem(name, value)
  } catch {}
}
