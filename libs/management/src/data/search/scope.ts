import { erasedNumber } from '@gangan/contracts';
import { Prisma, type Sql, sql } from '@gangan/database';
import { nilUuid } from '@gangan/protocol';
import { noPatterns, type NumberPatterns } from './number-pattern.js';

/** Whose data is exported or erased in one organisation: that of a number, or of all numbers. */
export interface Scope {
  readonly organisationId: string;
  /** E.164; null: all numbers. */
  readonly phone: string | null;
  readonly patterns: NumberPatterns;
}

/** The condition of a column with numbers that are not erased. */
export const isNumber = (column: string, { phone }: Scope): Sql =>
  phone === null ? sql`${Prisma.raw(column)} < ${erasedNumber}` : sql`${Prisma.raw(column)} = ${phone}`;

/** Statements branch on `phone`. */
export const sampleScopes: readonly Scope[] = ['', null].map((phone) => ({
  organisationId: nilUuid,
  phone,
  patterns: noPatterns,
}));

/** For statements that take a scope and ids. */
export const scopeSamples = { samples: sampleScopes.map((scope): [Scope, string[]] => [scope, []]) };
