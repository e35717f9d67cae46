import { type Sql, sql } from '@gangan/database';
import { createHash } from 'node:crypto';

/** What money moves for, and whose money it is. */
export interface Subject {
  /** The message, OTP, delivery, purchase or payment. Money moves for it once per kind of movement. */
  readonly subjectId: string;
  readonly organisationId: string;
}

/** One item of a batch: how much moves for a subject. */
export interface LedgerItem extends Subject {
  /** The amount, which is never negative. An item of 0 succeeds without a movement. */
  readonly kobo: bigint;
  readonly note?: string;
}

/** A refund of one charge, or of a part of it. */
export interface RefundItem extends LedgerItem {
  /**
   * The subject of the charge. All its refunds together cannot exceed it. If it is of the same day, it no longer counts on
   * the limits of the day.
   */
  readonly chargeId: string;
}

/** The subject id of a payment that has a reference outside: the same reference is the same payment. */
export function paymentIdOf(organisationId: string, reference: string): string {
  const hash = createHash('sha256').update(`${organisationId}\n${reference}`).digest();
  // Version 8 of a UUID: its content is defined by the application.
  hash[6] = 0x80 | ((hash[6] ?? 0) & 0x0f);
  hash[8] = 0x80 | ((hash[8] ?? 0) & 0x3f);
  return hash.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/**
 * The subject id of a message's growth: the id of the message as version 8 of a UUID, so that the message can be found.
 */
export const growthIdOf = (messageId: string): string => `${messageId.slice(0, 14)}8${messageId.slice(15)}`;

/** The message of a subject, which may be its growth. @param subjectId an expression */
export const messageOfSubject = (subjectId: Sql): Sql =>
  sql`overlay(${subjectId}::text PLACING '7' FROM 15)::uuid`;

/** Keeps the first item of each subject. */
export const distinct = <T extends Subject>(items: readonly T[]): T[] =>
  [...new Map(items.toReversed().map((item) => [item.subjectId, item])).values()].reverse();

/** Arguments of a money function: subjects and organisations. */
export const subjectArrays = (items: readonly Subject[]): Sql => sql`
  ${items.map(({ subjectId }) => subjectId)}::uuid[], ${items.map(({ organisationId }) => organisationId)}::uuid[]`;

/** Arguments of a money function: subjects, organisations, amounts and notes. */
export function itemArrays(items: readonly LedgerItem[]): Sql {
  const negative = items.find(({ kobo }) => kobo < 0n);
  if (negative)
    throw new RangeError(`The amount of ${negative.subjectId} is negative: ${negative.kobo} kobo`);
  return sql`${subjectArrays(items)}, ${items.map(({ kobo }) => kobo)}::bigint[],
    ${items.map(({ note }) => note ?? null)}::text[]`;
}
