import { formatDay } from './format.ts'
import { saveBlob } from './service.ts'
import { texts } from './text.ts'

/** A picture to save, with the words around it. */
interface Picture {
  readonly title: string
  /** Lines between the title and the picture. */
  readonly lines: readonly string[]
  readonly canvas: HTMLCanvasElement
  /** Colours and their names. */
  readonly legend?: readonly (readonly [color: string, name: string])[]
  /** The name and the licence of the source. If it is absent, only the address is the source. */
  readonly origin?: string
  /** The name of the file, without its ending. */
  readonly file: string
}

/** The width of a picture on paper, in pixels: A4 without the margins of styles/page.css. */
export const PAPER = 680

/** Lengths in pixels of the page. */
const [MARGIN, LINE, TITLE, PATCH] = [16, 18, 26, 10]
const FONT = 'system-ui, sans-serif'
const HEADING = `600 16px ${FONT}`

/** Saves a picture as PNG, with its title, lines, legend, source and date. */
export const savePicture = async (picture: Picture): Promise<void> => {
  const blob = await new Promise<Blob | null>((resolve) => drawn(picture).toBlob(resolve))
  if (blob === null) throw new Error('the browser made no picture')
  saveBlob(blob, `${picture.file}.png`)
}

/** Copies an element with an SVG of rectangles and texts, as they look. */
export const canvasOf = (element: HTMLElement): HTMLCanvasElement => {
  const scale = devicePixelRatio
  const frame = element.getBoundingClientRect()
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(frame.width * scale)
  canvas.height = Math.round(frame.height * scale)
  const pen = canvas.getContext('2d') as CanvasRenderingContext2D
  const pixel = (length: number) => Math.round(length * scale)
  for (const shape of element.querySelectorAll<SVGGraphicsElement>('rect, text')) {
    const { left, right, top, bottom, width } = shape.getBoundingClientRect()
    const { fill, fontFamily, fontSize } = getComputedStyle(shape)
    if (width === 0) continue
    pen.fillStyle = fill
    pen.globalAlpha = shape.closest('.incomplete') === null ? 1 : 0.6
    if (shape instanceof SVGTextElement) {
      // The start of the text on its base line.
      const { x, y } = shape.getStartPositionOfChar(0).matrixTransform(shape.getScreenCTM() as DOMMatrix)
      pen.font = `${Number.parseFloat(fontSize) * scale}px ${fontFamily}`
      pen.fillText(shape.textContent, pixel(x - frame.left), pixel(y - frame.top))
    } else {
      const [x, y] = [pixel(left - frame.left), pixel(top - frame.top)]
      pen.fillRect(x, y, pixel(right - frame.left) - x, pixel(bottom - frame.top) - y)
    }
  }
  return canvas
}

const drawn = ({ title, lines, canvas, legend = [], origin = '' }: Picture): HTMLCanvasElement => {
  const scale = devicePixelRatio
  const width = canvas.width / scale
  const from = [origin, location.href, formatDay(Date.now())].filter(Boolean).join(', ')
  const source = `${texts().units.source}: ${from}`
  const page = document.createElement('canvas')
  const pen = page.getContext('2d') as CanvasRenderingContext2D
  pen.font = HEADING
  const heading = wrapped(pen, title, width)
  pen.font = `12px ${FONT}`
  const above = lines.flatMap((line) => wrapped(pen, line, width))
  const items = placed(pen, legend, width)
  const below = wrapped(pen, source, width)
  const text = MARGIN + (heading.length - 1) * LINE + TITLE
  const top = text + above.length * LINE + 6
  const foot = top + canvas.height / scale + 6
  const end = foot + ((items.at(-1)?.row ?? -1) + 1) * LINE
  page.width = (width + 2 * MARGIN) * scale
  page.height = (end + below.length * LINE + MARGIN) * scale
  pen.scale(scale, scale)
  const { backgroundColor, color } = getComputedStyle(document.body)
  pen.fillStyle = backgroundColor
  pen.fillRect(0, 0, page.width, page.height)
  pen.textBaseline = 'top'
  pen.fillStyle = color
  write(pen, heading, MARGIN, HEADING)
  write(pen, above, text)
  pen.drawImage(canvas, MARGIN, top, width, canvas.height / scale)
  for (const { row, left, color: patch, name } of items) {
    pen.fillStyle = patch
    pen.fillRect(MARGIN + left, foot + row * LINE + 1, PATCH, PATCH)
    pen.fillStyle = color
    // A name that is wider than the picture becomes narrower.
    pen.fillText(name, MARGIN + left + PATCH + 6, foot + row * LINE, width - PATCH - 6)
  }
  write(pen, below, end)
  return page
}

const write = (pen: CanvasRenderingContext2D, lines: readonly string[], top: number, font = `12px ${FONT}`) => {
  pen.font = font
  for (const [i, line] of lines.entries()) pen.fillText(line, MARGIN, top + i * LINE)
}

/** Divides a text into lines of a width: after blanks, after the marks of an address, or else anywhere. */
export const wrapped = (pen: Pick<CanvasRenderingContext2D, 'measureText'>, text: string, width: number): string[] => {
  const fits = (line: string) => pen.measureText(line.trimEnd()).width <= width
  const parts = text.split(/(?<=[\s/?&=+])/).flatMap((part) => (fits(part) ? [part] : [...part]))
  const lines = ['']
  for (const part of parts) {
    const longer = `${lines.at(-1)}${part}`
    if (fits(longer)) lines[lines.length - 1] = longer
    else lines.push(part)
  }
  return lines.map((line) => line.trimEnd()).filter((line) => line !== '')
}

/** Places the items of a legend in rows of a width. */
const placed = (pen: CanvasRenderingContext2D, legend: NonNullable<Picture['legend']>, width: number) => {
  let [row, end] = [0, 0]
  return legend.map(([color, name]) => {
    const length = PATCH + 6 + pen.measureText(name).width + 16
    if (end > 0 && end + length > width) [row, end] = [row + 1, 0]
    const left = end
    end += length
    return { row, left, color, name }
  })
}
