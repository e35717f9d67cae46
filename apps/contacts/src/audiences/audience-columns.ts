import type { FieldError } from '@gangan/protocol';
import type { Column } from '../tables/column.js';

/**
 * The column that a placeholder names, whatever its case. What a placeholder cannot hold (spaces, accents) it writes as
 * one underscore: `{{First_name}}` is the column "First name".
 */
export function columnNamed(columns: readonly Column[], name: string): Column | undefined {
  const wanted = name.toLowerCase();
  return (
    columns.find((column) => column.name.toLowerCase() === wanted) ??
    columns.find((column) => asPlaceholder(column.name) === wanted)
  );
}

const asPlaceholder = (name: string): string => name.toLowerCase().replace(/[^a-z0-9_]+/g, '_');

/** The column of the numbers: the one that is named, or the first of its type. */
export function phoneColumn(columns: readonly Column[], name: string | undefined): Column | FieldError {
  const ofNumbers = columns.filter(({ type }) => type === 'PHONE NUMBER');
  if (name === undefined) return ofNumbers[0] ?? noNumbers;
  const wanted = name.trim().toLowerCase();
  return ofNumbers.find((column) => column.name.toLowerCase() === wanted) ?? badColumn;
}

const noNumbers: FieldError = {
  field: 'smartlist_id',
  message: 'smartlist_id cannot be sent to: the table has no column of the type PHONE NUMBER',
  type: 'value_error',
};

const badColumn: FieldError = {
  field: 'phone_column',
  message: 'phone_column must be the name of a column of the type PHONE NUMBER',
  type: 'value_error',
};
