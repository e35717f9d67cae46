import { erasedNumber } from '@gangan/contracts';
import { Prisma, type Sql, sql } from '@gangan/database';
import { noPatterns, type NumberPatterns } from './number-pattern.js';

/** Whose data is exported or erased in one organisation: that of a number, or of all numbers. */
export interface Scope {
  readonly organisationId: string;
  /** E.164; null: all numbers. */
  readonly phone: string | null;
  readonly patterns: NumberPatterns;
}

/** For the terminal and the audit log: `+234…567`. */
export const masked = (phone: string): string => `${phone.slice(0, 4)}…${phone.slice(-3)}`;

/** The condition of a column with numbers that are not erased. */
export const isNumber = (column: string, { phone }: Scope): Sql =>
  phone === null ? sql`${Prisma.raw(column)} < ${erasedNumber}` : sql`${Prisma.raw(column)} = ${phone}`;

/** Statements branch on `phone`. */
export const sampleScopes: readonly Scope[] = ['', null].map((phone) => ({
  organisationId: '00000000-0000-0000-0000-000000000000',
  phone,
  patterns: noPatterns,
}));
