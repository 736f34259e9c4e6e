/** The English texts of the map. */
export const mapEn = {
  noWebgl: 'This browser cannot show the map, because the map needs WebGL.',
  tools: 'Tools of the map',
  shapes: {
    polygon: {
      name: 'Polygon',
      title: 'Draw a polygon',
      help: 'Click each corner. To finish, click the first corner again. To cancel, press Escape.',
    },
    rectangle: {
      name: 'Rectangle',
      title: 'Draw a rectangle',
      help: 'Drag from corner to corner, or click both. To cancel, press Escape.',
    },
    circle: {
      name: 'Circle',
      title: 'Draw a circle',
      help: 'Drag from the centre, or click the centre and the edge. To cancel, press Escape.',
    },
  },
  edit: 'Edit',
  editHelp: 'Drag a corner or the whole area. To finish, press Edit again.',
  clear: 'Clear area',
  notLoaded: 'Drawing could not be loaded. Try again.',
  searchHere: 'Search this area',
  image: 'Save as PNG',
  headline: (events: string) => `${events} on the map`,
  perCell: 'Events per square',
  dot: 'Each dot is an event, in the colour of its series',
  inArea: (events: string) => `${events} in the area`,
  event: (id: number) => `Event ${id}`,
  more: (count: string) => `and ${count} more`,
  moreHere: (count: string) => `and ${count} more here`,
  useTiles: 'Use these tiles',
  forMapLibre: 'for MapLibre',
  style: 'style',
  forQgis: 'for MapLibre and QGIS. QGIS also needs the tiles:',
}
