import { render } from 'preact'
import { start } from '../state/store.ts'
import { Frame } from './frame.tsx'

start()
const root = document.createElement('div')
document.getElementById('page')?.replaceWith(root)
render(<Frame />, root)
