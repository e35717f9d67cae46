import { type ContactTable, formatTimestamp } from '@gangan/contracts';
import { type Column, columnAnswer } from './column.js';

/** The contact table of an organisation. */
export interface Table {
  readonly id: string;
  /** In their order, without removed ones. */
  readonly columns: readonly Column[];
  readonly createdAt: Date;
  readonly updatedAt: Date | null;
}

export const tableAnswer = ({ id, columns, createdAt, updatedAt }: Table): ContactTable => ({
  id,
  columns: columns.map(columnAnswer),
  created_datetime: formatTimestamp(createdAt),
  ...(updatedAt && { updated_datetime: formatTimestamp(updatedAt) }),
});
