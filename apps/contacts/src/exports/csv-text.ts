import { stringify } from 'csv-stringify/sync';
import type { Row } from '../rows/row.js';
import type { Column } from '../tables/column.js';
import { disarm } from '../transfers/formula.js';

/** What these hold is a number, a day or a phone number: nothing that a spreadsheet could run. */
const harmless: ReadonlySet<string> = new Set(['NUMBER', 'DATE', 'PHONE NUMBER']);
const wantedLength = 131_072;

export const headerText = (columns: readonly Column[]): string =>
  lineText(columns.map(({ name }) => disarm(name)));

/** Whole lines, in texts that are not much longer than they should be. */
export function rowsTexts(rows: readonly Row[], columns: readonly Column[]): string[] {
  const texts: string[] = [];
  let text = '';
  for (const { cells } of rows) {
    text += lineText(columns.map((column) => cellText(column, cells[column.id] ?? '')));
    if (text.length < wantedLength) continue;
    texts.push(text);
    text = '';
  }
  return text === '' ? texts : [...texts, text];
}

const cellText = ({ type }: Column, cell: string): string => (harmless.has(type) ? cell : disarm(cell));

const lineText = (cells: string[]): string =>
  stringify([cells], {
    record_delimiter: '\r\n',
    quoted_match: /[\r\n]/,
    // The only cell of a line: without quotes the line would be an empty one, which is passed over.
    quoted_empty: cells.length === 1,
  });
