/** A Worker without code. The tests import the parts of the real one that they need. */
export default {}
