/** A table in Markdown, formatted as oxfmt does. The first row has the heads. */
export function markdownTable(rows: readonly (readonly string[])[]): string[] {
  const [heads = [], ...others] = rows;
  const widths = heads.map((_, index) => Math.max(3, ...rows.map((row) => row[index]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  return [line(heads), line(widths.map((width) => '-'.repeat(width))), ...others.map(line)];
}
