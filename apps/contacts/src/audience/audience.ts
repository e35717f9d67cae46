import type { FieldError } from '@gangan/protocol';
import type { FilterNode } from '../filters/filter.js';
import { type Column, findColumnByName } from '../tables/table.js';

/**
 * A smartlist as it was when a message was sent to it: all that is needed to read its rows later. The sender of the
 * message stores it as text.
 */
export interface Audience {
  readonly filters: readonly FilterNode[];
  /** Rows added after it are left out. */
  readonly snapshot: string;
  readonly rare: boolean;
  /** The column with the phone numbers. */
  readonly phoneId: string;
  readonly columns: readonly NamedColumn[];
}

/** `name` is the one by which the message refers to the column. */
export type NamedColumn = Pick<Column, 'name' | 'id'>;

export const serializeAudience = (audience: Audience): string => JSON.stringify(audience);

export const parseAudience = (list: string): Audience => JSON.parse(list) as Audience;

/**
 * The column of a placeholder, in any case. A placeholder replaces characters that it cannot hold (spaces, accents) by one
 * underscore: `{{First_name}}` is the column "First name".
 */
export const findPlaceholderColumn = (columns: readonly Column[], name: string): Column | undefined =>
  findColumnByName(columns, name) ??
  columns.find((column) => toPlaceholder(column.name) === name.toLowerCase());

const toPlaceholder = (name: string): string => name.toLowerCase().replace(/[^a-z0-9_]+/g, '_');

/** The phone number column with this name, or the first one. */
export function findPhoneColumn(columns: readonly Column[], name: string | undefined): Column | FieldError {
  const phoneColumns = columns.filter(({ type }) => type === 'PHONE NUMBER');
  return name === undefined
    ? (phoneColumns[0] ?? noPhoneColumn)
    : (findColumnByName(phoneColumns, name) ?? unknownPhoneColumn);
}

const noPhoneColumn: FieldError = {
  field: 'smartlist_id',
  message: 'smartlist_id cannot be sent to: the table has no column of the type PHONE NUMBER',
  type: 'value_error',
};

const unknownPhoneColumn: FieldError = {
  field: 'phone_column',
  message: 'phone_column must be the name of a column of the type PHONE NUMBER',
  type: 'value_error',
};
