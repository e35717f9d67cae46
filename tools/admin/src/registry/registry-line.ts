import { parsePhone } from '@gangan/contracts';
import { parse } from 'csv-parse/sync';
import { nigerianOperator } from './nigerian-operator.js';

export const registries = ['ported', 'dnd'] as const;
export type Registry = (typeof registries)[number];

export interface Entry {
  readonly phone: string;
  /** Absent in the registry of those who want no promotion. */
  readonly operator?: string;
  /** The number is Nigerian, and the operator none of those that the interface knows. */
  readonly strange?: true;
}

const longestOperator = 64;
const nigeria = '234';

/** The cells of one line; none when it is blank, and `undefined` when its quotes do not match. */
export function cellsOf(text: string): readonly string[] | undefined {
  const line = text.replace(/^\ufeff/, '').trim();
  if (line === '') return [];
  // Nearly every line: half a million of them a second, and no object but its cells.
  if (!line.includes('"')) return line.split(',').map((cell) => cell.trim());
  try {
    return parse(line, { trim: true, relax_quotes: true, relax_column_count: true })[0];
  } catch {
    return undefined;
  }
}

/** What the cells of one line say, or why they say nothing. */
export function readCells(
  registry: Registry,
  [phone = '', operator = '']: readonly string[],
  region?: string,
): Entry | string {
  const number = parsePhone(phone, region);
  if (!number) return 'the first column is no phone number';
  if (registry === 'dnd') return { phone: number.e164 };
  if (operator === '') return 'the second column, the operator, is missing';
  if (/\p{Cc}/u.test(operator)) return 'the operator has control characters in it';
  if (operator.length > longestOperator) return `the operator has more than ${longestOperator} characters`;
  if (number.callingCode !== nigeria) return { phone: number.e164, operator };
  const spelt = nigerianOperator(operator);
  return { phone: number.e164, operator: spelt ?? operator, ...(spelt === undefined && { strange: true }) };
}

/** A first line that names the columns. */
export const isHeading = ([first = '']: readonly string[]): boolean => /^(phone|msisdn|number)/i.test(first);
