const isDigit = (character: string | undefined) => character !== undefined && '0123456789'.includes(character)

/** Finds the number at the beginning of a text character by character. It is the slowest obvious way. */
export const naiveNumber = (text: string): number | null => {
  const characters = [...text.trimStart()]
  let at = 0
  let number = ''
  const take = (wanted: (character: string | undefined) => boolean): number => {
    const start = at
    while (wanted(characters[at])) number += characters[at++]
    return at - start
  }
  if ('+-'.includes(characters[at] ?? ' ')) number += characters[at++]
  const whole = take(isDigit)
  if (characters[at] === '.' && (whole > 0 || isDigit(characters[at + 1]))) {
    number += characters[at++]
    take(isDigit)
  } else if (whole === 0) return null
  if (/^e$/i.test(characters[at] ?? '')) {
    const signed = '+-'.includes(characters[at + 1] ?? ' ') ? 2 : 1
    if (isDigit(characters[at + signed])) {
      number += characters.slice(at, at + signed).join('')
      at += signed
      take(isDigit)
    }
  }
  if (characters[at] === ',' && isDigit(characters[at + 1])) return null
  return Math.abs(Number(number)) <= Number.MAX_VALUE ? Number(number) + 0 : null
}
