import { escapeFormula, formatLookupSources, type LookupReply, type PhoneLookup } from '@gangan/contracts';
import { stringify } from 'csv-stringify/sync';

/** The result for one number of a batch. */
export interface BatchLine {
  /** The number as it was given. */
  readonly phone: string;
  readonly reply?: LookupReply;
  /** The code of the reason why there is no result. */
  readonly error?: string;
}

const columns = [
  ...['phone', 'msisdn', 'operator', 'country', 'ported', 'dnd', 'line_type', 'roaming', 'source', 'error'],
];

const format = (records: readonly (readonly string[])[]): string =>
  stringify([...records], { record_delimiter: '\r\n', quoted_match: /[\r\n]/ });

export const batchHeader = format([columns]);

export const formatLines = (lines: readonly BatchLine[]): string => format(lines.map(cellsOf));

function cellsOf({ phone, reply = {}, error = '' }: BatchLine): string[] {
  const found: Partial<PhoneLookup> = reply.found ?? {};
  return [
    ...[phone, found.msisdn, found.operator, found.country, found.ported, found.dnd, found.line_type],
    ...[found.roaming, formatLookupSources(reply), error],
  ].map((cell = '') => safeCell(String(cell)));
}

/** A number cannot be a formula, although it may start with a plus. */
const safeCell = (cell: string): string => (/^\+?[\d\s]+$/.test(cell) ? cell : escapeFormula(cell));
