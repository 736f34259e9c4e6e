/**
 * The limits, deadlines and guesses of the engine. None of them changes an answer: they decide how it is read, or from
 * where on a request is refused. A change of one is measured by `npm run bench -- --profile skewed`.
 */

// Answers of the database. D1 allows 2 MB for a text, 32 arguments for a function and 1,000 queries for a request.

/** The most bytes of text that one read returns. The Worker holds an answer of D1 in memory, and it has 128 MB. */
export const MAX_BYTES = 8_000_000
/** The most characters of a list of numbers or texts, and the longest number in it with its comma. */
export const [MAX_LIST, LONGEST_NUMBER] = [1_800_000, 18]
/** The longest id with its point, as quoted numbers with commas. */
export const LONGEST_POINT = 68
/** The most rows of a list of numbers. */
export const MAX_LISTED = 50_000
/** The most points, or rows with texts, that come in one query. The Worker tests 20,000 points in about 10 ms. */
export const MAX_TESTED = 20_000
/** The most queries of a round trip. The Worker holds their answers in memory at once: 7 MB. */
export const MAX_AT_ONCE = 4
/** The most dictionaries whose texts are read in one round trip. */
export const MAX_DICTIONARIES = 8
/** The most texts of a dictionary that the Worker tests with a regular expression. */
export const MAX_TEXTS = 100_000
/** The most pairs of an id and a count in a parameter. A pair takes up to 30 bytes. */
export const MAX_PAIRS = 60_000
/** The most queries that a stream sends. A retry needs some of the 1,000. */
export const MAX_QUERIES = 950

// Deadlines, in milliseconds.

/** D1 can stall without an error, so a read stops waiting. D1 itself allows 30 seconds for a statement. */
export const [DEADLINE, WRITE_DEADLINE] = [10_000, 30_000]
/** A cheap read takes a few milliseconds. A replica that needs longer has stalled or is waiting for a bookmark. */
export const CHEAP_DEADLINE = 1_500
/** The pause before a retry is random. Otherwise many clients would retry at the same moment. */
export const PAUSE = { least: 50, most: 250 }
/** Estimates that are older are read again, with the next queries. */
export const MAX_AGE = 30_000

// Guesses of a plan.

/** Estimates know the smaller cells in a cell that has more than this fraction of all rows. */
export const CROWDED = 1 / 1000
/** The rows of a data set of which nothing is known. The first read of an isolate replaces this guess. */
export const UNKNOWN_ROWS = 100_000
/** The estimated fraction of the rows with one value of a column, and of those that meet a condition without estimates. */
export const [RARE, UNKNOWN_FRACTION] = [1 / 100, 1 / 10]
/** An exact text or a uuid probably has so many rows. The statement counts them exactly. */
export const NAMED_ROWS = 10_000
/** A row that is found in an index and then read from the table costs so many rows. D1 bills both. */
export const LOOK_UP = 2
/** An index is counted up to so many rows, to see if it is a good path. */
export const MAX_COUNTED = 500
/** The most paths whose rows the database counts. D1 allows five terms in UNION ALL. */
export const COUNTED_PATHS = 4
/** The most ranges that are counted one by one. Each takes some subqueries. */
export const MAX_RANGES = 10

// Pages and parts.

/** A scan in order may read so many times the expected rows. Then the page is almost certainly full. */
export const RESERVE = 2.5
/** The most rows that a page skips in list order. They take about 2 ms. Stored counts take a round trip. */
export const MAX_SKIPPED = 2000
/** Without an index, a list with more matches is not sorted. Without stored counts, a page after more rows needs a hint. */
export const MAX_SORTED = 100_000
/** An order by distance holds so many more places than its page needs. Then it sorts them, and drops the others. */
export const MAX_UNSORTED = 10_000
/** The rows of the first batch of a stream. It is small, because a client may read nothing. */
export const FIRST_BATCH = 1_000
/** Each later batch has twice as many rows, up to these. */
export const BATCH = 10_000
/** The most ids that a stream holds, at 8 bytes each. A Worker has 128 MB. */
export const MAX_IDS = 2_000_000
/** The most batches of a download by distance, because each computes the distances of all matches. */
export const BATCHES_BY_DISTANCE = 10
/** The most queries of a batch. An area takes as many more. */
export const QUERIES_A_BATCH = 4
/** A sample of matches has one of so many. A chunk of 20,000 rows is then known to 6 %. */
export const SAMPLED = 64
/** A chunk is planned with so many times the rows that are allowed. It then seldom has too many. */
export const CHUNK = 2 / 3
/** If SQL leaves few rows to test, a query reads so many times the rows: 400,000, which take half a second. */
export const SPARSE = 30
/** The most changes that one answer passes. It leaves out the changes that the caller does not see. */
export const MAX_PASSED = 20_000
/** The longest text in a position, in characters. */
export const POSITION_CHARACTERS = 100

// Tiles.

/** The most characters of a value in a tile. 3,000 whole values are up to 120 MB, and the Worker has 128 MB. */
export const MAX_TILE_TEXT = 300

// Areas.

/**
 * The most cells of a covering: if nothing is known about the rows, by estimates, and if more than MAX_TESTED points
 * would be tested. A range of cells costs about two rows read.
 */
export const [ROUGH_CELLS, MAX_CELLS, FINE_CELLS] = [400, 800, 4000]
/** A cell at the boundary with at most so many estimated rows is not split. The second one is for more than MAX_TESTED points. */
export const [WORTH, FINE_WORTH] = [1, 12]
/** The most areas under OR or NOT in a search. The list of ids of each is a parameter, and D1 allows 100 in a statement. */
export const MAX_LOOK_UPS = 50
/** The most rows in all these areas. The Worker sends their ids back, up to 16 characters each. */
export const MAX_LOOKED_UP = 100_000

// Summaries.

/** The most nodes of starts that a summary of everything reads. Nodes of 37 hours then span 278 years. */
export const MAX_START_NODES = 65_536
/** The most cells in an answer. */
export const MAX_GROUPS = 4096
/** The most numbers that a summary keeps in memory for the rows with attributes: 32 MB. */
export const MAX_PARSED = 4_000_000
/** A value of an attribute probably has at most so many characters. */
export const VALUE_LENGTH = 24
/** The most values of an attribute that a summary counts, and their characters. The Worker holds them in memory. */
export const [MAX_VALUES, MAX_VALUE_TEXT] = [200_000, 10_000_000]
/** The most values of an attribute with equal counts that are sorted. */
export const MAX_COMPARED = 10_000
/** The most pairs of an entry and a different value that a summary notes. The Worker holds them in memory: up to 18 MB. */
export const MAX_DISTINCT = 100_000
