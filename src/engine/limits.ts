/**
 * The limits and guesses that several files of the engine share. None of them changes an answer: they decide how it is
 * read, or from where on a request is refused. A change of one is measured by `npm run bench -- --profile skewed`.
 */

// Answers of the database. D1 allows 2 MB for a text.

/** The most bytes of text that one read returns. The Worker holds an answer of D1 in memory, and it has 128 MB. */
export const MAX_BYTES = 8_000_000
/** The most characters of a list of numbers or texts. */
export const MAX_LIST = 1_800_000
/** The most points, or rows with texts, that come in one query. The Worker tests 20,000 points in about 10 ms. */
export const MAX_TESTED = 20_000
/** The most pairs of an id and a count in a parameter. A pair takes up to 30 bytes. */
export const MAX_PAIRS = 60_000

// Guesses of a plan.

/** The estimated fraction of the rows that meet a condition without estimates. */
export const UNKNOWN_FRACTION = 1 / 10
/** A row that is found in an index and then read from the table costs so many rows. D1 bills both. */
export const LOOK_UP = 2

// Pages and parts.

/** A scan in order may read so many times the expected rows. Then the page is almost certainly full. */
export const RESERVE = 2.5
/** Without an index, a list with more matches is not sorted. Without stored counts, a page after more rows needs a cursor. */
export const MAX_SORTED = 100_000
/** A sample of matches has one of so many. A part of 20,000 rows is then known to 6 %. */
export const SAMPLED = 64
/** A part is planned with so many times the rows that are allowed. It then seldom has too many. */
export const PART = 2 / 3
/** The longest text in a cursor, in characters. */
export const POSITION_CHARACTERS = 100

// Summaries.

/** The most cells in an answer, and the most bins if the client chose their unit. */
export const [MAX_GROUPS, MAX_BINS] = [4096, 20_000]
