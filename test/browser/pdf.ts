import { inflateSync } from 'node:zlib'

/** The characters of the glyphs of a font. */
type Characters = ReadonlyMap<number, string>

/** Returns the texts of each sheet of a PDF by Chromium, in the order of drawing. */
export const sheetsOf = (pdf: Buffer): string[][] => {
  const objects = new Map(
    Array.from(pdf.toString('latin1').matchAll(/(\d+) 0 obj(.*?)endobj/gs), ([, id = '', body = '']) => [id, body]),
  )
  const contentOf = (id: string) => {
    const [, stream = ''] = /stream\n(.*)\nendstream/s.exec(objects.get(id) ?? '') ?? []
    return inflateSync(Buffer.from(stream, 'latin1')).toString('latin1')
  }
  const linked = (body: string, name: string) => new RegExp(`/${name} (\\d+) 0 R`).exec(body)?.[1]
  const fonts = new Map<string, Characters>()
  for (const [id, body] of objects) {
    const table = linked(body, 'ToUnicode')
    if (table !== undefined) fonts.set(id, charactersOf(contentOf(table)))
  }
  return Array.from(objects.values())
    .filter((body) => /\/Type \/Page\b/.test(body))
    .map((body) => textsOf(contentOf(linked(body, 'Contents') ?? ''), fonts))
}

/** Reads lines such as `<0001> <0041>`, and `<0001> <0003> <0041>` for three glyphs. */
const charactersOf = (table: string): Characters => {
  const found = new Map<number, string>()
  for (const [, first = '', last = '', unicode = ''] of table.matchAll(/<(\w{4})> (?:<(\w{4})> )?<(\w{4})>/g)) {
    const from = Number.parseInt(first, 16)
    const until = Number.parseInt(last || first, 16)
    for (let glyph = from; glyph <= until; glyph++)
      found.set(glyph, String.fromCharCode(Number.parseInt(unicode, 16) + glyph - from))
  }
  return found
}

const textsOf = (content: string, fonts: ReadonlyMap<string, Characters>): string[] =>
  Array.from(content.matchAll(/\/F(\d+) [\d.]+ Tf(.*?)ET/gs), ([, font = '', commands = '']) => {
    const glyphs = Array.from(commands.matchAll(/<(\w+)>/g), ([, hex = '']) => hex).join('')
    return (glyphs.match(/.{4}/g) ?? []).map((glyph) => fonts.get(font)?.get(Number.parseInt(glyph, 16))).join('')
  })
