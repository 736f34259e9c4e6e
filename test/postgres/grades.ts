/** In a list of scripts, each stands for what `npm run indexes` prints for the views of a database. */
export const [GRADE_B, GRADE_C] = ['-- the indexes of grade B', '-- the counts of grade C']
