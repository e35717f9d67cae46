import { bookLoss, lockWallets, post, type Settlement, type Subject, voidReservation } from '@gangan/billing';
import { recordCallbacks } from '@gangan/callbacks';
import { Database, sql, type Statements } from '@gangan/database';
import { Injectable } from '@nestjs/common';
import type { Reason } from '../providers/airtime-provider.js';
import { type Change, changeColumns, reportsOf } from './change.js';
import type { Held } from './held.js';
import { Together } from './together.js';

/** How a purchase ended, as far as whoever held it knows. */
export interface Verdict {
  readonly held: Held;
  readonly state: 'success' | 'failed';
  /** A provider told of a success. That is a fact, and holds whoever has the purchase in hand by now. */
  readonly heard?: true;
  readonly providerReference?: string;
  readonly reason?: Reason;
}

/**
 * `settled`: now. `late`: it was settled before, or others have it in hand. `loss`: it was given back before, and has
 * been delivered all the same. `dropped`: a success of what, as far as the row knows, nobody was told.
 */
export interface Conclusion {
  readonly outcome: 'settled' | 'late' | 'loss' | 'dropped';
  /** To be announced. */
  readonly callbackIds: readonly string[];
}

/** Ends purchases: status, money and report in one transaction, once. */
@Injectable()
export class Conclusions {
  private readonly verdicts = new Together(
    (verdicts: readonly Verdict[]) =>
      this.database.transaction((transaction) => concludeAll(transaction, verdicts)),
    ({ held }) => held.organisationId,
  );

  constructor(private readonly database: Database) {}

  conclude(verdict: Verdict): Promise<Conclusion> {
    return this.verdicts.do(verdict);
  }
}

async function concludeAll(transaction: Statements, verdicts: readonly Verdict[]): Promise<Conclusion[]> {
  const changes = await end(transaction, verdicts);
  const ended = new Map(changes.map(({ id, state }) => [id, state]));
  const isSettled = ({ held, state }: Verdict): boolean => ended.get(held.id) === state;
  const callbacks = await callbackIdsOf(transaction, changes);
  if (changes.length > 0) {
    await lockWallets(transaction, [...new Set(changes.map(({ organisationId }) => organisationId))]);
  }
  await earn(transaction, changes.filter(({ state }) => state === 'success').map(subjectOf));
  await giveBack(transaction, changes.filter(({ state }) => state === 'failed').map(subjectOf));
  const late = verdicts.filter((verdict) => verdict.state === 'success' && !isSettled(verdict));
  const lost = new Set(
    await lose(
      transaction,
      late.map(({ held }) => subjectOf(held)),
    ),
  );
  const dropped = new Set(await stillOpen(transaction, late));
  const outcomeOf = (verdict: Verdict): Conclusion['outcome'] => {
    if (isSettled(verdict)) return 'settled';
    if (verdict.state === 'failed') return 'late';
    if (lost.has(verdict.held.id)) return 'loss';
    return dropped.has(verdict.held.id) ? 'dropped' : 'late';
  };
  return verdicts.map((verdict) => ({
    outcome: outcomeOf(verdict),
    callbackIds: callbacks.get(verdict.held.id) ?? [],
  }));
}

/** What nobody took can only fail; what was handed over, or is in error, can end either way. */
const end = (transaction: Statements, verdicts: readonly Verdict[]): Promise<Change[]> =>
  transaction.query<Change>(sql`
    UPDATE airtime_purchase AS purchase SET state = verdict.state::airtime_state, refunded = verdict.state = 'failed',
      next_attempt_at = NULL, provider_reference = coalesce(verdict.reference, purchase.provider_reference),
      error_code = verdict.code, error_message = verdict.message, updated_at = now()
    FROM unnest(${verdicts.map(({ held }) => held.id)}::uuid[], ${verdicts.map(({ held }) => held.attempt)}::int[],
      ${verdicts.map(({ state }) => state)}::text[], ${verdicts.map(({ heard }) => heard ?? false)}::bool[],
      ${verdicts.map(({ providerReference }) => providerReference ?? null)}::text[],
      ${verdicts.map(({ reason }) => reason?.code ?? null)}::text[],
      ${verdicts.map(({ reason }) => reason?.message ?? null)}::text[])
      AS verdict (id, attempt, state, heard, reference, code, message)
    WHERE purchase.id = ANY (${verdicts.map(({ held }) => held.id)}::uuid[])
      AND purchase.id = verdict.id AND (purchase.attempt = verdict.attempt OR verdict.heard)
      AND (purchase.state IN ('submitting', 'sent', 'error') OR purchase.state = 'pending' AND verdict.state = 'failed')
    RETURNING ${changeColumns}`);

async function callbackIdsOf(
  transaction: Statements,
  changes: readonly Change[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const reports = reportsOf(changes);
  const ids = await recordCallbacks(transaction, reports);
  return new Map(reports.map(({ resourceId }, place) => [resourceId, ids.slice(place, place + 1)]));
}

const subjectOf = ({ id, organisationId }: Pick<Held, 'id' | 'organisationId'>): Subject => ({
  subjectId: id,
  organisationId,
});

async function earn(transaction: Statements, purchases: readonly Subject[]): Promise<void> {
  if (purchases.length > 0) refuseUnmoved(purchases, await post(transaction, purchases));
}

/** The reservation goes back to the wallet. */
export async function giveBack(transaction: Statements, purchases: readonly Subject[]): Promise<void> {
  if (purchases.length > 0) refuseUnmoved(purchases, await voidReservation(transaction, purchases));
}

/** The row said that it was open, so its money must have been: otherwise nothing of this may be kept. */
function refuseUnmoved(purchases: readonly Subject[], settlements: readonly Settlement[]): void {
  for (const [place, settlement] of settlements.entries()) {
    if (settlement.moved) continue;
    throw new Error(
      `The money of purchase ${purchases[place]?.subjectId ?? ''} was ${settlement.because} before`,
    );
  }
}

/** Those that wait as if they had never been handed over. */
async function stillOpen(transaction: Statements, late: readonly Verdict[]): Promise<string[]> {
  const heard = late.filter((verdict) => verdict.heard).map(({ held }) => held.id);
  if (heard.length === 0) return [];
  const rows = await transaction.query<{ id: string }>(sql`
    SELECT asked.id FROM unnest(${heard}::uuid[]) AS asked (id)
    CROSS JOIN LATERAL (SELECT state FROM airtime_purchase WHERE id = asked.id LIMIT 1) AS found
    WHERE found.state NOT IN ('success', 'failed', 'duplicate')`);
  return rows.map(({ id }) => id);
}

async function lose(transaction: Statements, purchases: readonly Subject[]): Promise<string[]> {
  if (purchases.length === 0) return [];
  const bookings = await bookLoss(transaction, purchases);
  return purchases.filter((_, place) => bookings[place]?.moved).map(({ subjectId }) => subjectId);
}
