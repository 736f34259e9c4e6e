import type { Map as MapLibre } from 'maplibre-gl'
import { fill, h } from '../app/dom.ts'
import { formatCount } from '../state/format.ts'
import { CELLS, opacityBy, POINTS, TILES } from './layers.ts'
import type { Tiles } from './tiles.ts'

/**
 * Makes the legend of a map: cells, events, and the rows of the page. The three steps of cells follow the counts in
 * view.
 */
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
  // This is some frames before idle. All tiles have loaded, and names still fade in.
  map.on('sourcedata', ({ sourceId, tile }) => {
    if (sourceId === TILES && tile !== undefined && map.isSourceLoaded(TILES)) look()
  })
  return {
    element,
    /** Shows the addresses of the tiles. `rows` tells if the map also shows events of the page. */
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
        ' for MapLibre and QGIS. QGIS also needs the tiles: ',
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

/** Returns two round counts that divide the counts up to `greatest` into three steps. */
export const stepsOf = (greatest: number): readonly [number, number] => {
  const first = Math.max(2, round(greatest ** (1 / 3)))
  return [first, Math.max(first + 1, round(greatest ** (2 / 3)))]
}

/** Rounds to a number such as 1, 2, 5, 10, 20 or 50. */
const round = (count: number): number => {
  const size = 10 ** Math.floor(Math.log10(Math.max(1, count)))
  const digit = [1, 2, 5, 10].reduce((best, each) =>
    Math.abs(Math.log(count / size / each)) < Math.abs(Math.log(count / size / best)) ? each : best,
  )
  return digit * size
}
