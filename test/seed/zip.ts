import { crc32 } from 'node:zlib'

const shorts = (...numbers: number[]) => Buffer.from(Uint16Array.from(numbers).buffer)
const longs = (...numbers: number[]) => Buffer.from(Uint32Array.from(numbers).buffer)

/** Makes a zip file of texts by their names, without compression. */
export function zipOf(files: Readonly<Record<string, string>>): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const [name, text] of Object.entries(files)) {
    const content = Buffer.from(text)
    const sizes = [longs(crc32(content), content.length, content.length), shorts(name.length, 0)]
    const local = Buffer.concat([
      Buffer.from('PK\x03\x04'),
      shorts(20, 0, 0, 0, 0),
      ...sizes,
      Buffer.from(name),
      content,
    ])
    directory.push(
      Buffer.concat([
        Buffer.from('PK\x01\x02'),
        shorts(20, 20, 0, 0, 0, 0),
        ...sizes,
        shorts(0, 0, 0),
        longs(0, at),
        Buffer.from(name),
      ]),
    )
    parts.push(local)
    at += local.length
  }
  const end = [Buffer.from('PK\x05\x06'), shorts(0, 0, parts.length, parts.length)]
  const size = directory.reduce((sum, { length }) => sum + length, 0)
  return Buffer.concat([...parts, ...directory, ...end, longs(size, at), shorts(0)])
}

const SHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** Makes a workbook of the XML of its rows, such as `<row r="1"><c r="A1"><v>5</v></c></row>`, and of formats for cells with `s="1"` and on. */
export const workbookOf = (rows: string, formats: readonly string[] = []): Buffer =>
  zipOf({
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    '_rels/.rels': `<Relationships xmlns="${RELATIONS}"><Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${SHEET}" xmlns:r="${OFFICE}"><sheets><sheet name="Blad" sheetId="1" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${RELATIONS}"><Relationship Id="r1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${SHEET}"><numFmts>${formats
      .map((format, i) => `<numFmt numFmtId="${164 + i}" formatCode="${format.replaceAll('"', '&quot;')}"/>`)
      .join('')}</numFmts><cellXfs><xf numFmtId="0"/>${formats
      .map((format, i) => `<xf numFmtId="${/^\d+$/.test(format) ? format : 164 + i}"/>`)
      .join('')}</cellXfs></styleSheet>`,
    'xl/worksheets/sheet1.xml': `<worksheet xmlns="${SHEET}"><sheetData>${rows}</sheetData></worksheet>`,
  })
