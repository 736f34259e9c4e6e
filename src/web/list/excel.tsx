import { useState } from 'preact/hooks'
import { columnsOf, everyColumn, isOwner } from '../../formats/columns.ts'
import { changed, givenIn, hrefOf } from '../state/address.ts'
import type { Column } from '../state/fields.ts'
import { clock, formatDay } from '../state/format.ts'
import { isEvent, readList, valuesIn } from '../state/rows.ts'
import { ask, saveBlob } from '../state/service.ts'
import { announce } from '../state/store.ts'
import { texts } from '../state/text.ts'
import { downloadTexts } from './downloads.tsx'
import { chipsOf, wordsOfChip } from './filter.ts'
import type { CountedProps } from './listContext.ts'

/** The most rows of a workbook, which is made in the memory of the browser. */
const MOST = 20_000

/** Shows a button that makes an Excel workbook of all events of a list. */
export const Excel = (props: CountedProps) => {
  const t = downloadTexts()
  const [isBusy, setBusy] = useState(false)
  const [fault, setFault] = useState('')
  if (props.count > MOST) return <p>{t.tooLong(MOST)}</p>
  const make = async () => {
    setBusy(true)
    setFault('')
    await saveWorkbook(props).then(
      () => announce(t.done),
      () => setFault(t.failed('Excel')),
    )
    setBusy(false)
  }
  return (
    <>
      <button type="button" class="primary" disabled={isBusy} onClick={make}>
        Excel
      </button>
      <span class="fault" role="alert">
        {fault}
      </span>
    </>
  )
}

/** Columns that few people need are left out unless they are chosen, but not the end of an event. */
const isUsual = ({ column, isOwn, group, kind }: Column): boolean =>
  isOwn || column !== 3 || (group === 'when' && kind === 'instant')

/** Reads all events, and stores the workbook. Throws an error if one of them fails. */
const saveWorkbook = async ({ place, about, known, counted }: CountedProps): Promise<void> => {
  const whole = changed(place, { fields: null, page_size: 'all', format: 'geojson', consistent: 'true' })
  const [{ body }, { workbookOf }] = await Promise.all([ask(whole), import('./workbook.ts')])
  const list = readList(body, place.path)
  if (list === null) throw new Error('no list')
  const { sheets, address } = downloadTexts()
  const facts = [
    ...chipsOf(about, place).map((chip) => [sheets.filters, wordsOfChip(chip, about, known.series)]),
    [texts().units.source, known.origin || location.host],
    [address, `${location.origin}${hrefOf(place)}`],
    [sheets.retrieved, formatDay(Date.now())],
    [sheets.zone, clock.value.name],
  ]
  const events = list.results.filter(isEvent)
  const { only } = known.columns
  const { fields = [] } = about
  const chosen = givenIn(place, 'fields')?.split(',') ?? null
  const parts = { fields, rows: events.map(valuesIn), described: [], chosen }
  // The columns of one page say nothing about the others, unless all are of one series.
  const every = only === null ? everyColumn(parts) : known.columns.every
  const own = every.filter((column) => isUsual(column) && (only === null || !isOwner(column)))
  const places = every.filter(({ kind }) => kind === 'place')
  const all = chosen === null ? [...own, ...places] : columnsOf(parts, every)
  const bytes = await workbookOf(events, all, [only ?? texts().list.panes.rows, sheets.facts], [[counted], ...facts])
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
  saveBlob(new Blob([bytes], { type }), `${only ?? 'events'}.xlsx`)
}
