import {
  type ContactColumn,
  type ContactColumnType,
  type ContactTable,
  formatTimestamp,
  hasOptions,
} from '@gangan/contracts';
import type { AppError } from '@gangan/protocol';
import { invalidOptions } from '../contacts.errors.js';

export interface Column {
  readonly id: string;
  readonly name: string;
  readonly type: ContactColumnType;
  /** The values that a SELECT or MULTI SELECT cell may hold. */
  readonly options: readonly string[];
  /** The country of phone numbers without a country code. */
  readonly region?: string;
}

/** The contact table of an organisation. */
export interface Table {
  readonly id: string;
  /** Ordered by position, without removed columns. */
  readonly columns: readonly Column[];
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

export const formatTable = ({ id, columns, createdAt, updatedAt }: Table): ContactTable => ({
  id,
  columns: columns.map(formatColumn),
  created_datetime: formatTimestamp(createdAt),
  ...(updatedAt && { updated_datetime: formatTimestamp(updatedAt) }),
});

const formatColumn = ({ id, name, type, options }: Column): ContactColumn => ({
  id,
  name,
  type,
  ...(hasOptions(type) && { options: [...options] }),
});

export const findColumnByName = (columns: readonly Column[], name: string): Column | undefined => {
  const wanted = name.trim().toLowerCase();
  return columns.find((column) => column.name.toLowerCase() === wanted);
};

/** Returns the error if a column of this type cannot have these options. */
export function checkOptions(
  type: ContactColumnType,
  options: readonly string[] | undefined,
): AppError | undefined {
  const given = options !== undefined && options.length > 0;
  if (!hasOptions(type))
    return given ? invalidOptions('are for SELECT and MULTI SELECT columns only') : undefined;
  if (!given) return invalidOptions('is required', 'missing');
  return new Set(options).size < options.length ? invalidOptions('must differ from each other') : undefined;
}
