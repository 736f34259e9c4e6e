const ONE = { events: 'event', series: 'event series', types: 'observation type' }
const MANY = { events: 'events', series: 'event series', types: 'observation types' }

/** The English texts of lists. */
export const listEn = {
  counted: (noun: 'events' | 'series' | 'types', count: number) =>
    `${count.toLocaleString('en')} ${count === 1 ? ONE[noun] : MANY[noun]}`,
  event: (id: number) => `Event ${id}`,
  ofSeries: (count: number | undefined, name: string) =>
    count === undefined ? `of ${name}` : `${count === 1 ? 'event' : 'events'} of ${name}`,
  columns: {
    value: 'Value',
    start: 'Start',
    end: 'End',
    duration: 'Duration',
    category: 'Category',
    series: 'Series',
    place: 'Place',
    object: 'Object',
    id: 'Id',
    name: 'Name',
    events: 'Events',
    access: 'Access',
    bounds: 'Bounds',
    description: 'Description',
  },
  empty: 'Nothing matches. Remove a filter, or make its range wider.',
  moreRows: (count: number) => `Scroll to see ${count.toLocaleString('en')} more rows of this page`,
  withoutPlace: (count: number) => `${count.toLocaleString('en')} ${count === 1 ? 'event' : 'events'} without a place`,
  pager: {
    title: 'Pages',
    first: 'First page',
    previous: 'Previous page',
    next: 'Next page',
    last: 'Last page',
    page: (page: number, last: number) => `Page ${page.toLocaleString('en')} of ${last.toLocaleString('en')}`,
    rows: 'Rows',
  },
  order: {
    title: 'Order by',
    ascending: (name: string) => `${name}, ascending`,
    descending: (name: string) => `${name}, descending`,
    names: {
      '-timestamp_start': 'Newest first',
      timestamp_start: 'Oldest first',
      '-start': 'Newest first',
      start: 'Oldest first',
      '-duration': 'Longest first',
      duration: 'Shortest first',
      '-value_number': 'Largest value first',
      value_number: 'Smallest value first',
      distance: 'Nearest first',
      id: 'Number',
      '-id': 'Number, descending',
      '-last_modified': 'Last changed first',
      last_modified: 'First changed first',
    },
  },
  downloads: {
    title: 'Download',
    about: 'All matching rows, not only this page.',
    failed: (name: string) => `The download of ${name} failed. Try again.`,
    done: 'The file is stored',
    cite: (counted: string, address: string, day: string) =>
      `Cite as: Event Query Interface, ${counted}, ${address}, retrieved on ${day}.`,
  },
  chips: {
    title: 'Active filters',
    clear: 'Clear all',
    without: 'Remove',
    remove: (words: string) => `Remove the filter ${words}`,
    count: (count: string) => `${count} without it`,
  },
  search: { label: 'Words', example: 'Search for words, such as maria flood', search: 'Search' },
  panes: { title: 'Parts of this page', rows: 'List', map: 'Map', time: 'Time', filters: 'Filters' },
}
