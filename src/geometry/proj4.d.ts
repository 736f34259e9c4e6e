// proj4 types its whole package only, and the whole is twice as large in the bundle as the files that crs.ts needs.

declare module 'proj4/lib/core.js' {
  type Converter = { forward: (position: number[]) => number[]; inverse: (position: number[]) => number[] }
  const proj4: (definition: string) => Converter
  export default proj4
}

declare module 'proj4/lib/projections.js' {
  const projections: { add: (projection: object) => void }
  export default projections
}

declare module 'proj4/lib/projections/sterea.js' {
  const projection: object
  export default projection
}

declare module 'proj4/lib/projections/utm.js' {
  const projection: object
  export default projection
}
