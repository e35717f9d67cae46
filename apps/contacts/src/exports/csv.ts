import { stringify } from 'csv-stringify/sync';
import type { Row } from '../rows/row.js';
import type { Column } from '../tables/table.js';
import { escapeFormula } from '@gangan/contracts';

/** The cells of these types cannot be formulas. */
const safeTypes: ReadonlySet<string> = new Set(['NUMBER', 'DATE', 'PHONE NUMBER']);
const chunkLength = 131_072;

export const formatHeader = (columns: readonly Column[]): string =>
  formatLine(columns.map(({ name }) => escapeFormula(name)));

/** Whole lines, in chunks that are slightly longer than `chunkLength`. */
export function formatRows(rows: readonly Row[], columns: readonly Column[]): string[] {
  const chunks: string[] = [];
  let chunk = '';
  for (const { cells } of rows) {
    chunk += formatLine(columns.map((column) => formatCell(column, cells[column.id] ?? '')));
    if (chunk.length < chunkLength) continue;
    chunks.push(chunk);
    chunk = '';
  }
  return chunk === '' ? chunks : [...chunks, chunk];
}

const formatCell = ({ type }: Column, cell: string): string =>
  safeTypes.has(type) ? cell : escapeFormula(cell);

const formatLine = (cells: string[]): string =>
  stringify([cells], {
    record_delimiter: '\r\n',
    quoted_match: /[\r\n]/,
    // Without quotes a single empty cell would be an empty line, which an import skips.
    quoted_empty: cells.length === 1,
  });
