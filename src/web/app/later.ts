/** The parts of the page that load after the first rows, in one file. */
export { Chips } from '../list/chips.tsx'
export { Filters } from '../list/filters.tsx'
export { ListPictures } from '../list/pictures.tsx'
export { ApiPanel } from './api.tsx'
export { HomePage } from './home.tsx'
export { ItemPage } from './item.tsx'
export { Notice } from './notice.tsx'
