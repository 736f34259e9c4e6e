/** A file of its own, because uPlot loads after the first view. */
export { default } from 'uplot'
