/** A file with a first line that names the columns. */
export const asCsv = (rows: readonly Readonly<Record<string, string | number>>[]): string =>
  [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row).map(String))]
    .map((cells) => csvLine(cells))
    .join('');

export const csvLine = (cells: readonly string[]): string =>
  `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\n`;
