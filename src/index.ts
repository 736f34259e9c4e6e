import { serve } from './app.ts'
import { d1Engine } from './engine/d1/engine.ts'

/** The service on a D1 database. */
export default serve(({ DB }) => d1Engine(DB))
