/** The most numbers of one batch, because its file fills the database: a line has about 100 bytes. */
export const maxBatchNumbers = 1_000_000;

export const tooManyNumbers = (max: number): string =>
  `A batch has at most ${max.toLocaleString('en')} numbers. Look up parts of the smartlist.`;
