import { erasedNumber, type ParsedPhone } from '@gangan/contracts';
import { type Database, Prisma, type Sql, sql, statement, t } from '@gangan/database';
import { nilUuid } from '@gangan/protocol';
import type { Organisation } from '../../organisations/find-organisation.js';
import { noPatterns, type NumberPatterns, patternsOf } from './number-pattern.js';

/** Whose data is exported or erased in one organisation: that of a number, or of all numbers. */
export interface Scope {
  readonly organisationId: string;
  /** E.164; null: all numbers. */
  readonly phone: string | null;
  readonly patterns: NumberPatterns;
}

const listIds = statement({ id: t.uuid }, () => sql`SELECT id FROM organisation ORDER BY id`);

/** A number in one organisation, or in all of them. @param region the country of numbers without a country code */
export async function scopesOf(
  database: Database,
  phone: ParsedPhone,
  organisation: Organisation | undefined,
  region: string | undefined,
): Promise<Scope[]> {
  const organisations = organisation ? [organisation] : await database.run(listIds);
  const patterns = patternsOf(phone, region);
  return organisations.map(({ id }) => ({ organisationId: id, phone: phone.e164, patterns }));
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
