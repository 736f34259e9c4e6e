/** A list of scripts may contain these. Tests then run the output of `npm run indexes` for the database. */
export const [GRADE_B, GRADE_C] = ['-- the indexes of grade B', '-- the counts of grade C']
