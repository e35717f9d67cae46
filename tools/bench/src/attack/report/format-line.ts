const titleWidth = 26;

/** A line of a table whose columns are as wide as their heads. */
export const formatLine = (title: string, columns: readonly string[], cells: readonly string[]): string =>
  title.padEnd(titleWidth) +
  cells.map((cell, index) => cell.padStart((columns[index] ?? '').length + 3)).join('');
