import type { ParsedPhone } from '@gangan/contracts';
import { Prisma, type Sql, sql } from '@gangan/database';

/** In place of a number that was erased. It sorts after every phone number, which begins with `+`. */
export const erased = 'erased';

/** Whose data is exported or erased: those of a number, or of everybody, in one organisation. */
export interface Scope {
  readonly organisationId: string;
  /** E.164; null: all numbers. */
  readonly phone: string | null;
  /** Finds the number in a text, in all its notations; for JavaScript and for Postgres. */
  readonly pattern: string;
}

/** For the terminal and the audit log: `+234…567`. */
export const masked = (phone: string): string => `${phone.slice(0, 4)}…${phone.slice(-3)}`;

/** The separators that `parsePhone` accepts. */
const separator = '[ ().\u00a0\u2010-\u2013-]{0,3}';

/** Not a part of a longer number. Country code and trunk prefix may be absent. */
export function patternOf({ callingCode, nationalNumber }: ParsedPhone): string {
  const spread = (digits: string): string => digits.split('').join(separator);
  return `(?<![0-9])(?:(?:[+]|00)?${separator}${spread(callingCode)}${separator})?0?${separator}${spread(nationalNumber)}(?![0-9])`;
}

/** A JSON value that is the number and nothing else, such as a recipient. A text that mentions the number is not. */
export const jsonValueOf = (pattern: string): string => `"[ (+]{0,2}${pattern}[ )]?"`;

/** For bytes as `encode(…, 'escape')` writes them: octal digits stand for separators that are not ASCII. */
export const inBytesOf = (pattern: string): string =>
  pattern.replaceAll(separator, '(?:[ ().-]|\\\\[0-7]{3}){0,9}');

/** The condition of a column with numbers that are not erased. */
export const isNumber = (column: string, { phone }: Scope): Sql =>
  phone === null ? sql`${Prisma.raw(column)} < ${erased}` : sql`${Prisma.raw(column)} = ${phone}`;

/** Statements branch on `phone`. */
export const sampleScopes: readonly Scope[] = ['', null].map((phone) => ({
  organisationId: '00000000-0000-0000-0000-000000000000',
  phone,
  pattern: '',
}));
