import {
  type ContactColumn,
  type ContactColumnType,
  type ContactTable,
  formatTimestamp,
  hasOptions,
} from '@gangan/contracts';
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

export const formatColumn = ({ id, name, type, options }: Column): ContactColumn => ({
  id,
  name,
  type,
  ...(hasOptions(type) && { options: [...options] }),
});

export const findColumnByName = (columns: readonly Column[], name: string): Column | undefined => {
  const wanted = name.trim().toLowerCase();
  return columns.find((column) => column.name.toLowerCase() === wanted);
};

/** @throws AppError 400 if a column of this type cannot have these options */
export function checkOptions(type: ContactColumnType, options: readonly string[]): void {
  const given = options.length > 0;
  if (given && !hasOptions(type)) throw invalidOptions('are for SELECT and MULTI SELECT columns only');
  if (!given && hasOptions(type)) throw invalidOptions('is required', 'missing');
  if (new Set(options).size < options.length) throw invalidOptions('must differ from each other');
}
