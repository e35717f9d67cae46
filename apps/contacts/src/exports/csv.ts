import { escapeFormula } from '@gangan/contracts';
import type { Row } from '../rows/row.js';
import type { Column } from '../tables/table.js';
import { formatLine, toChunks } from '../transfers/csv.js';

/** The cells of these types cannot be formulas. */
const safeTypes: ReadonlySet<string> = new Set(['NUMBER', 'DATE', 'PHONE NUMBER']);

export const formatHeader = (columns: readonly Column[]): string =>
  formatLine(columns.map(({ name }) => escapeFormula(name)));

/** Formats rows as chunks of whole lines. */
export const formatRows = (rows: readonly Row[], columns: readonly Column[]): string[] =>
  toChunks(
    rows.map(({ cells }) => formatLine(columns.map((column) => formatCell(column, cells[column.id] ?? '')))),
  );

const formatCell = ({ type }: Column, cell: string): string =>
  safeTypes.has(type) ? cell : escapeFormula(cell);
