/** The examples in messages. All name properties of events, so a renamed property is changed here. */
export const EXAMPLES = {
  comparison: "category = 'hurricane'",
  like: "category LIKE 'tropical%'",
  isNull: 'category IS NULL',
  between: 'object_id BETWEEN 1 AND 9',
  caseFolded: 'CASEI(category)',
  json: '{"op":"=","args":[{"property":"category"},"hurricane"]}',
  /** The properties with a stored folded form. */
  foldable: 'a category, a name or object_type',
}
