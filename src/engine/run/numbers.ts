const [COMMA, MINUS, ZERO] = [44, 45, 48]

/** Parses a comma-separated list of integers. */
export const numbersIn = (list: string): Float64Array => {
  if (list === '') return new Float64Array()
  const numbers = new Float64Array(1 + commasIn(list))
  let index = 0
  let value = 0
  let sign = 1
  for (let i = 0; i < list.length; i++) {
    const code = list.charCodeAt(i)
    if (code === COMMA) {
      numbers[index++] = sign * value
      value = 0
      sign = 1
    } else if (code === MINUS) sign = -1
    else value = value * 10 + (code - ZERO)
  }
  numbers[index] = sign * value
  return numbers
}

const commasIn = (list: string): number => {
  let commas = 0
  for (let i = 0; i < list.length; i++) if (list.charCodeAt(i) === COMMA) commas += 1
  return commas
}
