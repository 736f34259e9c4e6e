import type { Map as MapLibre } from 'maplibre-gl'
import { fill, formatCount, h } from '../page/dom.ts'
import { CELLS, opacityBy, POINTS, TILES } from './layers.ts'
import type { Tiles } from './tiles.ts'

/** What the marks on a map mean: cells in three steps that follow what is in view, events, and the rows of the page. */
export const makeLegend = (map: MapLibre) => {
  const list = h('ul', {})
  const addresses = h('p', {})
  const more = h('details', {}, h('summary', {}, 'Use these tiles'), addresses)
  const element = h('div', { class: 'map-legend', hidden: true }, list, more)
  let shown = ''
  let hasRows = false
  const look = () => {
    if (map.getLayer(CELLS) === undefined) return
    const cells = map.queryRenderedFeatures({ layers: [CELLS] })
    const greatest = cells.reduce((most, { properties }) => Math.max(most, Number(properties.count)), 0)
    const steps = stepsOf(greatest)
    const points = cells.length === 0 || map.queryRenderedFeatures({ layers: [POINTS] }).length > 0
    const key = JSON.stringify([greatest > 0 && steps, points, hasRows])
    if (key === shown) return
    shown = key
    if (greatest > 0) map.setPaintProperty(CELLS, 'fill-opacity', opacityBy(steps))
    fill(list, greatest > 0 && cellItems(steps), points && EVENT, hasRows && ROWS)
  }
  map.on('idle', look)
  // Some frames earlier than idle: all tiles are there, and names still fade in.
  map.on('sourcedata', ({ sourceId, tile }) => {
    if (sourceId === TILES && tile !== undefined && map.isSourceLoaded(TILES)) look()
  })
  return {
    element,
    /** Offers the addresses of what is shown; `rows`: there are events of a page among it. */
    update: (tiles: Tiles | null, rows: boolean) => {
      element.hidden = tiles === null
      hasRows = rows
      shown = ''
      if (tiles === null) return
      fill(
        addresses,
        h('a', { href: tiles.tileJson, target: '_blank', rel: 'noopener' }, 'TileJSON'),
        ' for MapLibre, ',
        h('a', { href: tiles.style, target: '_blank', rel: 'noopener' }, 'style'),
        ' for MapLibre and QGIS. QGIS wants the tiles too: ',
        h('code', {}, tiles.template),
      )
    },
  }
}

const item = (mark: string, text: string) => h('li', {}, h('span', { class: mark, 'aria-hidden': 'true' }), text)

const EVENT = item('dot', 'An event, in the colour of its series')
const ROWS = item('ring', 'On this page')

const cellItems = ([first, second]: readonly [number, number]) => [
  item('cell few', first === 2 ? '1 event' : `1 to ${formatCount(first - 1)} events`),
  item('cell some', `${formatCount(first)} to ${formatCount(second - 1)}`),
  item('cell many', `${formatCount(second)} and more`),
]

/** Two round counts that part the counts up to a greatest in three by their size. */
export const stepsOf = (greatest: number): readonly [number, number] => {
  const first = Math.max(2, round(greatest ** (1 / 3)))
  return [first, Math.max(first + 1, round(greatest ** (2 / 3)))]
}

/** A number of one digit, 1, 2 or 5, and noughts, near another. */
const round = (count: number): number => {
  const size = 10 ** Math.floor(Math.log10(Math.max(1, count)))
  const digit = [1, 2, 5, 10].reduce((best, each) =>
    Math.abs(Math.log(count / size / each)) < Math.abs(Math.log(count / size / best)) ? each : best,
  )
  return digit * size
}
