/** What the cells of a column may hold. */
export const contactColumnTypes = [
  'TEXT',
  'NUMBER',
  'DATE',
  'PHONE NUMBER',
  'EMAIL',
  'URL',
  'SELECT',
  'MULTI SELECT',
] as const;

export type ContactColumnType = (typeof contactColumnTypes)[number];

/** Whether a column of this type has options to choose from. */
export const hasOptions = (type: ContactColumnType): boolean => type === 'SELECT' || type === 'MULTI SELECT';
