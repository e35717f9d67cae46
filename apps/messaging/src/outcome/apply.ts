import {
  Database,
  type DeliveryState,
  retryTransient,
  sql,
  sqlFailure,
  type Statements,
} from '@gangan/database';
import { AppLogger } from '@gangan/runtime';
import { Injectable } from '@nestjs/common';
import type { Answer, Reason } from '../providers/message-provider.js';
import { byIndex } from '../by-index.js';
import { type Change, changeColumns } from './change.js';
import { follow } from './follow.js';
import { grouped } from '../grouped.js';
import type { Held } from '../submit/delivery.js';

/** What an attempt comes to. */
export interface Verdict {
  readonly held: Pick<Held, 'id' | 'attempt'>;
  /** What the provider said; nothing, when none was called, and what ends is an attempt of somebody else, or none. */
  readonly outcome?: Answer['kind'] | undefined;
  readonly state: DeliveryState;
  /** Until it is looked at again; never, when it has ended. */
  readonly inMs?: number | undefined;
  readonly providerReference?: string | undefined;
  readonly reason?: Reason | undefined;
}

export interface Conclusion {
  readonly changes: readonly Change[];
  /** To be announced. */
  readonly callbackIds: readonly string[];
}

/** Ends attempts: state, money and report in one transaction, once, and only for who still holds the delivery. */
@Injectable()
export class Conclusions {
  constructor(
    private readonly database: Database,
    private readonly logger: AppLogger,
  ) {}

  /** What moves no money does not wait for a wallet: what a carrier took and we forget may be sent twice. */
  async conclude(verdicts: readonly Verdict[]): Promise<Conclusion> {
    const groups = [...grouped(verdicts, ({ state }) => isGivenBack(state)).values()];
    const results = await Promise.allSettled(groups.map((group) => this.concludeGroup(group)));
    const concluded = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed && concluded.length === 0) throw failed.reason;
    if (failed)
      this.logger.warn({ err: failed.reason as unknown }, 'some deliveries could not be concluded yet');
    return merged(concluded);
  }

  /** One that cannot be written down, whyever, does not stand in the way of its neighbours. */
  private async concludeGroup(verdicts: readonly Verdict[]): Promise<Conclusion> {
    try {
      return await this.concludeTogether(verdicts);
    } catch (error) {
      if (verdicts.length === 1 || !['data', 'other'].includes(sqlFailure(error))) throw error;
      this.logger.error({ err: error, deliveries: verdicts.length }, 'deliveries are concluded one by one');
      return this.concludeSingly(verdicts);
    }
  }

  private async concludeSingly(verdicts: readonly Verdict[]): Promise<Conclusion> {
    const concluded: Conclusion[] = [];
    for (const verdict of verdicts) {
      try {
        concluded.push(await this.concludeTogether([verdict]));
      } catch (error) {
        this.logger.error({ err: error, delivery: verdict.held.id }, 'a delivery could not be concluded');
      }
    }
    return merged(concluded);
  }

  private concludeTogether(verdicts: readonly Verdict[]): Promise<Conclusion> {
    return retryTransient(() =>
      byIndex(this.database, async (transaction) => {
        const changes = await end(transaction, verdicts);
        return { changes, callbackIds: await follow(transaction, changes) };
      }),
    );
  }
}

const isGivenBack = (state: DeliveryState): boolean => state === 'rejected' || state === 'failed';

const merged = (conclusions: readonly Conclusion[]): Conclusion => ({
  changes: conclusions.flatMap(({ changes }) => changes),
  callbackIds: conclusions.flatMap(({ callbackIds }) => callbackIds),
});

/** In the order of ids, in which all lock. */
function end(transaction: Statements, verdicts: readonly Verdict[]): Promise<Change[]> {
  const ordered = verdicts.toSorted(({ held: one }, { held: other }) => (one.id < other.id ? -1 : 1));
  return transaction.query<Change>(sql`
    WITH verdict AS MATERIALIZED (
      SELECT id, attempt, outcome, state::delivery_state, in_ms, reference, code, message
      FROM unnest(${ordered.map(({ held }) => held.id)}::uuid[], ${ordered.map(({ held }) => held.attempt)}::int[],
        ${ordered.map(({ outcome }) => outcome ?? null)}::text[], ${ordered.map(({ state }) => state)}::text[],
        ${ordered.map((verdict) => verdict.inMs ?? null)}::float8[],
        ${ordered.map(({ providerReference }) => providerReference ?? null)}::text[],
        ${ordered.map(({ reason }) => reason?.code ?? null)}::text[],
        ${ordered.map(({ reason }) => reason?.message ?? null)}::text[])
        AS heard (id, attempt, outcome, state, in_ms, reference, code, message)
    ), locked AS MATERIALIZED (
      SELECT verdict.* FROM verdict CROSS JOIN LATERAL (
        SELECT FROM delivery WHERE id = verdict.id AND attempt = verdict.attempt
          AND (state = 'submitting' OR state = 'queued' AND verdict.outcome IS NULL)
        LIMIT 1 FOR UPDATE) ours
    ), noted AS (
      UPDATE delivery_attempt SET outcome = locked.outcome, error_code = locked.code, error_message = locked.message,
        ended_at = now()
      FROM locked WHERE delivery_id = locked.id AND delivery_attempt.attempt = locked.attempt
        AND locked.outcome IS NOT NULL)
    UPDATE delivery SET state = locked.state, provider_reference = locked.reference, error_code = locked.code,
      error_message = locked.message, refunded = locked.state IN ('rejected', 'failed'),
      next_attempt_at = date_trunc('milliseconds', now()) + locked.in_ms * interval '1 millisecond',
      sealed_body = CASE WHEN locked.state IN ('queued', 'submitting') THEN delivery.sealed_body END,
      updated_at = CASE WHEN locked.state IN ('queued', 'submitting') THEN delivery.updated_at ELSE now() END
    FROM locked WHERE delivery.id = locked.id
    RETURNING ${changeColumns}`);
}
