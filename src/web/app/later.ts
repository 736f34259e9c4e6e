/** The parts of the page that load after the first rows, in one file. */
export { Facets } from '../list/facets.tsx'
export { FilterBar } from '../list/filterBar.tsx'
export { ListPictures } from '../list/pictures.tsx'
export { ApiPanel } from './api.tsx'
export { HomePage } from './home.tsx'
export { ItemPage } from './item.tsx'
export { Notice } from './notice.tsx'
