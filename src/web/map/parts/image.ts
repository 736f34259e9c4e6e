import { savePicture } from '../../state/picture.ts'
import { texts } from '../../state/text.ts'
import { classes } from '../basemap.ts'
import type { MapProps, MapView } from '../mapView.ts'
import { mapTexts } from '../text.ts'
import { seriesOfMap } from './legend.tsx'

/** Saves the map as PNG with its title, filters, legend, sources and date. */
export const saveImage = async ({ map, marks }: MapView, shown: MapProps): Promise<void> => {
  const t = mapTexts()
  const { summary, described = '' } = shown
  const isCells = marks.value === 'cells'
  const named = seriesOfMap(shown).map(({ color, name }) => [color, name] as const)
  const caption = isCells ? t.perCell : t.dot
  const credit = map.getContainer().querySelector('.maplibregl-ctrl-attrib-inner')?.textContent ?? ''
  const lines = [described, `${caption} · ${credit}`]
  const title = summary === null ? document.title : t.headline(texts().list.counted('events', summary.count))
  await new Promise<void>((resolve, reject) => {
    // The buffer of the map is valid only until the frame ends.
    map.once('render', () => {
      const legend = isCells ? classes() : named
      savePicture({ title, lines, canvas: map.getCanvas(), legend, file: 'map' }).then(resolve, reject)
    })
    map.triggerRepaint()
  })
}
