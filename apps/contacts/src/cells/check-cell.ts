import type { ContactColumnType } from '@gangan/contracts';
import { isEmail, isURL } from 'class-validator';
import { choicesOf, comparedForm } from './compared-form.js';

const longestCell = 5_000;

/** What a column asks of its cells. */
export interface CellRule {
  readonly type: ContactColumnType;
  readonly options: readonly string[];
}

/** A cell as it was written, and as it is compared. An empty one is no cell. */
export interface Cell {
  readonly written: string;
  readonly compared: string;
}

export interface CellFault {
  readonly type: string;
  /** Goes after the name of the field. */
  readonly problem: string;
}

export type CheckedCell =
  { readonly ok: true; readonly cell: Cell } | { readonly ok: false; readonly fault: CellFault };

/** Postgres stores no U+0000, and half a character is none. */
const unusable = /[\0\p{Surrogate}]/u;

const empty: CheckedCell = { ok: true, cell: { written: '', compared: '' } };

/** Holds a text against its column. Blank text empties the cell. */
export function checkCell(column: CellRule, text: string): CheckedCell {
  const trimmed = text.trim();
  if (trimmed === '') return empty;
  if (text.length > longestCell) {
    return refused('string_too_long', `must be shorter than or equal to ${longestCell} characters`);
  }
  if (unusable.test(text)) return refused('value_error', 'contains U+0000 or half of a surrogate pair');
  const fault = faults[column.type](trimmed, column.options);
  if (fault) return { ok: false, fault };
  const written = column.type === 'TEXT' ? text : trimmed;
  return { ok: true, cell: { written, compared: comparedForm(column.type, written) ?? written } };
}

type Check = (text: string, options: readonly string[]) => CellFault | undefined;

/** What has no compared form is none of its type. */
const hasForm =
  (of: ContactColumnType, fault: CellFault): Check =>
  (text) =>
    comparedForm(of, text) === undefined ? fault : undefined;

const faults: Readonly<Record<ContactColumnType, Check>> = {
  TEXT: () => undefined,
  NUMBER: hasForm('NUMBER', { type: 'value_error', problem: 'must be a number such as 12.5' }),
  DATE: hasForm('DATE', {
    type: 'date',
    problem: 'must be a day such as 2026-11-15, or a time such as 2026-11-15T09:30:00+01:00',
  }),
  'PHONE NUMBER': hasForm('PHONE NUMBER', {
    type: 'phone',
    problem: 'must be a phone number such as +2348031234567',
  }),
  EMAIL: (text) => (isEmail(text) ? undefined : { type: 'email', problem: 'must be an email address' }),
  URL: (text) => (isWebAddress(text) ? undefined : { type: 'url', problem: 'must be an http or https URL' }),
  SELECT: (text, options) => (options.includes(text) ? undefined : notAnOption(options)),
  'MULTI SELECT': (text, options) =>
    choicesOf(text).every((choice) => options.includes(choice)) && choicesOf(text).length > 0
      ? undefined
      : notAnOption(options, ', several separated by commas'),
};

const isWebAddress = (text: string): boolean =>
  isURL(text, { protocols: ['http', 'https'], require_protocol: true, require_tld: false }) &&
  URL.canParse(text);

const notAnOption = (options: readonly string[], more = ''): CellFault => ({
  type: 'enum',
  problem: `must be one of the following values: ${options.join(', ')}${more}`,
});

const refused = (type: string, problem: string): CheckedCell => ({ ok: false, fault: { type, problem } });
