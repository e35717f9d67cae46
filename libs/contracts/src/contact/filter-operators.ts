export const contactOperators = [
  'contain',
  'not_contain',
  'equal',
  'not_equal',
  'start_with',
  'end_with',
  'is_empty',
  'is_not_empty',
  'greater_than',
  'less_than',
  'between',
  'before',
  'after',
  'in',
] as const;

/** How a cell is held against the value of a filter. */
export type ContactOperator = (typeof contactOperators)[number];
